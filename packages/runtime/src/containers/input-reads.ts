import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { PYTHON } from '../sandbox/root.ts';

/** Watched files. More are not watched: the kernel limits the watches of a user. */
const MOST = 200;
/** Milliseconds until the watches must be set. Beyond them nothing is reported. */
const READY_MS = 10_000;

/** Watches each file until it is first opened. At the end of its input it prints the names that were never opened. */
const WATCH = `
import ctypes, json, os, struct, sys
IN_OPEN, IN_ONESHOT, IN_IGNORED, NONBLOCK = 0x20, 0x80000000, 0x8000, 0o4000
libc = ctypes.CDLL(None, use_errno=True)
descriptor = libc.inotify_init1(NONBLOCK)
folder, names, opened = sys.argv[1], {}, set()
for name in sys.argv[2:]:
    watch = libc.inotify_add_watch(descriptor, os.fsencode(os.path.join(folder, name)), ctypes.c_uint32(IN_OPEN | IN_ONESHOT))
    if watch < 0:
        sys.exit(1)
    names[watch] = name
os.write(1, b"\\n")
sys.stdin.buffer.read()
while True:
    try:
        events = os.read(descriptor, 65536)
    except BlockingIOError:
        break
    while events:
        watch, mask, _, length = struct.unpack("iIII", events[:16])
        if mask & IN_OPEN:
            opened.add(names[watch])
        events = events[16 + length:]
os.write(1, json.dumps([name for name in names.values() if name not in opened]).encode())
`;

/** Finds out which input files a container has opened. */
export interface InputReads {
  /** Names of the files that were never opened; empty when that is unknown. Call it once. */
  unread(): Promise<string[]>;
  stop(): void;
}

/**
 * Watches from outside which files of a folder are opened, because read-only mounts do not record access times. Each
 * file is reported once, so a program can neither flood us nor hide one.
 */
export async function watchInput(folder: string, names: readonly string[]): Promise<InputReads> {
  const child = spawn(PYTHON, ['-I', '-S', '-c', WATCH, folder, ...names.slice(0, MOST)], {
    env: { LANG: 'C.UTF-8' },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined); // it has ended by itself: nothing is known
  child.on('error', (error) => console.error(`input of containers cannot be watched: ${error.message}`));
  const ready = await Promise.race([
    once(child.stdout, 'readable', { signal: AbortSignal.timeout(READY_MS) }).then(
      () => child.stdout.read(1) as unknown,
    ),
    once(child, 'close').then(() => null),
  ]).catch(() => null);
  return {
    async unread() {
      child.stdin.end();
      if (ready === null) return [];
      const output = await text(child.stdout);
      return output === '' ? [] : (JSON.parse(output) as string[]);
    },
    stop() {
      child.kill('SIGKILL');
    },
  };
}
