import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { stateFolder, writePrivately } from './places.ts';

/** An execution with the address where it was started, so that its id alone is enough later. */
export interface RememberedExecution {
  readonly id: string;
  /** Platform. */
  readonly url: string;
  /** Address of the service at the gateway, or of one's own executions. */
  readonly endpoint: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Above this size the oldest half is forgotten. About 2,000 executions. */
const mostBytes = 512 * 1024;

function historyFile(environment: Environment): string {
  return path.join(stateFolder(environment), 'executions.jsonl');
}

/**
 * Adds an execution. One short line is appended, so several `ket run` at once do not disturb each other; one that
 * appends while another trims may be forgotten, and is then found as one's own.
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
    // A line cut short by a full disk, or the empty one at the end: the others still count.
    return undefined;
  }
}
