import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { placesOf } from '../places.ts';
import { signalQuietly } from '../sandbox/processes.ts';
import type { Runtime } from '../types.ts';
import { currentRoot } from './own-root.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
/** What apt and its mirror need; the secrets of the platform stay here. */
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
  /** When there is a root, or it is known why there is none. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Sees to it that sandboxes get a root of their own. Where there is none yet it is built beside everything else, at the
 * lowest priority; until then, and where it cannot be built, they see a part of the `/usr` of this machine.
 * @param warn is told why there is none, and what can be done.
 */
export function keepOwnRoot(
  dataDir: string,
  runtime: Pick<Runtime, 'renewRoot'>,
  say: { info: (line: string) => void; warn: (line: string) => void },
): RootKeeper {
  const { runtimeDir } = placesOf(dataDir);
  if (currentRoot(runtimeDir) !== null) return { done: Promise.resolve(), stop: async () => Promise.resolve() };
  say.info('Sandboxes use the Python of this machine until a root of their own is built.');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.includes(name)));
  const child = spawn('nice', ['-n', '19', process.execPath, MAIN, dataDir], {
    env,
    cwd: '/',
    detached: true, // apt and tar in one group, so that all of them can be ended
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2_000);
  });
  let stopped = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      words += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  const done = ended.then(async (code) => {
    if (stopped) return;
    const root = currentRoot(runtimeDir);
    if (code === 0 && root !== null) {
      await runtime.renewRoot();
      say.info(`Sandboxes have a root of their own: ${root.id}, Python ${root.python}.`);
    } else if (code !== 0) {
      const last = words.trim().split('\n').slice(-2).join(' ');
      say.warn(
        `Sandboxes go on to use the Python of this machine, because no root of their own could be built. ${last}`,
      );
    }
  });
  return {
    done,
    async stop() {
      stopped = true;
      if (child.exitCode === null && child.pid !== undefined) signalQuietly(-child.pid, 'SIGTERM');
      await ended;
    },
  };
}
