import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../errors.ts';
import { makeRunnerPaths } from '../paths.ts';
import { signalQuietly } from '../sandbox/processes.ts';
import type { Runtime } from '../types.ts';
import { currentRoot } from './own-root.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
/** Environment variables that apt and its mirror need. The secrets of the platform are not passed on. */
const PASSED = [
  'PATH',
  'HOME',
  'LANG',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
];

export interface RootKeeper {
  /** Resolves when there is a root, or when the attempt has failed. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/** Milliseconds after the start before the root is built, so that a first start is not slowed down. */
const AFTER_MS = 5_000;

interface Say {
  info(line: string): void;
  warn(line: string): void;
}

/**
 * Gives sandboxes a root of their own. A missing root is built after the start, at the lowest priority. Until then, and
 * where it cannot be built, sandboxes see a part of this machine's `/usr`.
 * @param say `warn` gets the reason and the remedy when no root can be built.
 */
export function keepOwnRoot(
  dataDir: string,
  runtime: Pick<Runtime, 'renewRoot'>,
  say: Say,
  afterMs = AFTER_MS,
): RootKeeper {
  const { runtimeDir } = makeRunnerPaths(dataDir);
  if (currentRoot(runtimeDir) !== null) return { done: Promise.resolve(), stop: async () => Promise.resolve() };
  say.info('Sandboxes use the Python of this machine until a root of their own is built.');
  const stopping = new AbortController();
  const keep = async (): Promise<void> => {
    await pause(afterMs, null, { signal: stopping.signal });
    const { code, words } = await build(dataDir, stopping.signal);
    const root = currentRoot(runtimeDir);
    if (stopping.signal.aborted || (code === 0 && root === null)) return; // another process builds it
    if (root === null || code !== 0) throw new Error(words.trim().split('\n').slice(-2).join(' '));
    await runtime.renewRoot();
    say.info(`Sandboxes have a root of their own: ${root.id}, Python ${root.python}.`);
  };
  const done = keep().catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    say.warn(`Sandboxes go on to use the Python of this machine, without a root of their own. ${messageOf(error)}`);
  });
  return {
    done,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

/** Builds in a process of its own, which ends with `signal`. Returns its exit code and the end of its output. */
async function build(dataDir: string, signal: AbortSignal): Promise<{ code: number | null; words: string }> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.includes(name)));
  const child = spawn('nice', ['-n', '19', process.execPath, MAIN, dataDir], {
    env,
    cwd: '/',
    detached: true, // one group with apt and tar, so that one signal ends them all
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = (): void => {
    if (child.pid !== undefined) signalQuietly(-child.pid, 'SIGTERM');
  };
  signal.addEventListener('abort', end);
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      words += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  signal.removeEventListener('abort', end);
  return { code, words };
}
