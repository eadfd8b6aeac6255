import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { stateFolder, writePrivately } from './folders.ts';

/** An execution with its address, so that later its id alone is enough. */
interface RememberedExecution {
  readonly id: string;
  /** Address of the platform. */
  readonly url: string;
  /** Address of the service at the gateway, or of the user's own executions. */
  readonly endpoint: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Bytes of the history, about 2,000 executions. Beyond them its oldest half is removed. */
const mostBytes = 512 * 1024;

function historyFile(environment: Environment): string {
  return path.join(stateFolder(environment), 'executions.jsonl');
}

/**
 * Adds an execution. It appends one short line, so that several `ket run` at once do not conflict. A line that is
 * appended while another process trims the file may be lost; that execution is then found among the user's own.
 */
export async function remember(environment: Environment, execution: RememberedExecution): Promise<void> {
  const file = historyFile(environment);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, `${JSON.stringify(execution)}\n`, { mode: 0o600 });
  if ((await stat(file)).size <= mostBytes) return;
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writePrivately(file, lines.slice(Math.floor(lines.length / 2)).join('\n'));
}

/** Executions started from here on this platform, newest first. */
export async function remembered(environment: Environment, url: string): Promise<RememberedExecution[]> {
  let text: string;
  try {
    text = await readFile(historyFile(environment), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return text
    .split('\n')
    .flatMap((line) => parse(line) ?? [])
    .filter((execution) => execution.url === url)
    .toReversed();
}

function parse(line: string): RememberedExecution | undefined {
  try {
    const value = JSON.parse(line) as Partial<RememberedExecution>;
    const { id, url, endpoint } = value;
    return id !== undefined && url !== undefined && endpoint !== undefined ? { id, url, endpoint } : undefined;
  } catch {
    // A line cut off by a full disk, or the empty one at the end. The others still count.
    return undefined;
  }
}
