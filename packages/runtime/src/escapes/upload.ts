import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BuildOutcome } from '../build/index.ts';
import type { EscapeBuilder, EscapeDriver } from './types.ts';

const LONGEST_MS = 120_000;

export interface Uploaded {
  outcome: BuildOutcome<object>;
  /** The log and the outcome of the build. */
  said: string;
}

/** Builds an upload as the installation of a driver does. */
export async function uploaded(
  driver: EscapeDriver,
  archive: Buffer,
  environment: NodeJS.ProcessEnv = {},
): Promise<Uploaded> {
  return uploadTo(driver.builder({ PATH: process.env['PATH'], HOME: '/nonexistent', ...environment }), archive);
}

export async function uploadTo(builder: EscapeBuilder, archive: Buffer): Promise<Uploaded> {
  const digest = createHash('sha256').update(archive).digest('hex');
  const lines: string[] = [];
  const listen = ({ message }: { message: string }): void => {
    lines.push(message);
  };
  const outcome = await builder.build(Readable.from([archive]), digest, listen, AbortSignal.timeout(LONGEST_MS));
  return { outcome, said: `${lines.join('\n')}\n${JSON.stringify(outcome)}` };
}
