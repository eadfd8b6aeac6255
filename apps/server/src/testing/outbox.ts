import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestPlatform } from './platform.ts';

interface WrittenMail {
  readonly file: string;
  /** Permissions of the file. */
  readonly mode: number;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The mails to `email` that a platform without a mail server has written, oldest first, once none waits to be sent. */
export async function mailsTo(
  platform: Pick<TestPlatform, 'configuration' | 'database'>,
  email: string,
): Promise<WrittenMail[]> {
  await until(async () => (await waitingMails(platform)) === 0);
  const folder = path.join(platform.configuration.dataDir, 'outbox');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted();
  const mails = await Promise.all(names.map((name) => readMail(path.join(folder, name))));
  return mails.filter(({ to }) => to === email);
}

/** Counts the mails that have not been sent. */
export async function waitingMails({ database }: Pick<TestPlatform, 'database'>): Promise<number> {
  return (await database.read.selectFrom('outgoing_mails').select('id').execute()).length;
}

/** The token in the link of the newest of these mails. */
export function tokenIn(mails: readonly WrittenMail[]): string {
  const token = /\/(?:verify|password)\/([0-9a-f]{40})\n/.exec(mails.at(-1)?.text ?? '')?.[1];
  if (token === undefined) throw new Error(`There is no link in ${JSON.stringify(mails.at(-1))}`);
  return token;
}

/** Polls every 10 ms, for at most 20 s. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    if (await isSo()) return;
    await pause(10);
  }
  throw new Error('Waited 20 s in vain');
}

async function readMail(file: string): Promise<WrittenMail> {
  const [head = '', ...rest] = (await readFile(file, 'utf8')).split('\n\n');
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? '';
  const { mode } = await stat(file);
  return { file, mode: mode & 0o777, to: header('To'), subject: header('Subject'), text: rest.join('\n\n') };
}
