import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { PYTHON } from './root.ts';

/**
 * Mounts overlays on request. A request is a line: the verb, the lower folder and the mount point, separated by zero
 * bytes. It answers a mount with an empty line or an error, and ends with its input. The runner blocks on it, so it has
 * a high priority. The kernel gets the numbers of descriptors instead of paths, because it gives some characters of an
 * overlay's paths a meaning. It also formats the paths whenever a bubblewrap reads mountinfo, once for each of its
 * mounts.
 */
const MOUNT_OVERLAYS = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(1, 9)
os.chdir("/proc/self/fd")
try: os.setpriority(os.PRIO_PROCESS, 0, -15)
except OSError: pass
def mount(lower, at):
    os.mkdir(at, 0o711)
    folders = []
    try:
        folders += [os.open(lower, os.O_PATH | os.O_DIRECTORY)]
        folders += [os.open(os.path.dirname(at) + b"/empty", os.O_PATH | os.O_DIRECTORY)]
        option = "lowerdir=" + ":".join(str(one) for one in folders)
        if libc.mount(b"kethub", at, b"overlay", 1, option.encode()) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    except OSError:
        os.rmdir(at)
        raise
    finally:
        for one in folders:
            os.close(one)
while line := sys.stdin.buffer.readline():
    verb, lower, at = line[:-1].split(b"\\0")
    if verb == b"unmount":
        libc.umount2(at, 2)
        os.rmdir(at)
        continue
    try:
        mount(lower, at)
        answer = ""
    except OSError as error:
        answer = str(error)
    os.write(1, answer.encode() + b"\\n")
`;

/**
 * Mounts read-only overlays in 0.2 ms each. Node cannot call mount(2), and starting mount(8) takes 3 ms, so a process
 * of its own does it. The mounts are in the runner's mount namespace and end with it; the process ends with the runner,
 * too.
 */
export class OverlayMounter {
  readonly #dir: string;
  #pipes: { requests: number; answers: number } | null = null;
  #made = 0;

  /** @param dir the folder for mount points; made here. */
  constructor(dir: string) {
    this.#dir = dir;
    mkdirSync(`${dir}/empty`, { recursive: true, mode: 0o711 });
    try {
      this.#pipes = this.#start();
    } catch (error) {
      console.error(`overlays cannot be mounted: ${messageOf(error)}`);
    }
  }

  /**
   * Shows the folder `lower` at a new mount point: the same content, but other files. When somebody has killed the
   * process, another one takes its place: the mounts are those of the runner.
   * @throws when it cannot be mounted.
   */
  mount(lower: string): string {
    if (/[\0\n]/.test(lower)) throw new Error(`${JSON.stringify(lower)} cannot be the lower folder of an overlay.`);
    try {
      return this.#mountOnce(lower);
    } catch (error) {
      if (this.#pipes !== null) throw error;
      this.#pipes = this.#start();
      return this.#mountOnce(lower);
    }
  }

  #mountOnce(lower: string): string {
    const at = `${this.#dir}/${++this.#made}`;
    this.#request('mount', lower, at);
    const problem = this.#answer();
    if (problem !== '') throw new Error(`${lower} cannot be shown by an overlay: ${problem}`);
    return at;
  }

  /** Requests an unmount, and does not wait for it. */
  unmount(at: string): void {
    if (this.#pipes !== null) this.#request('unmount', '', at);
  }

  #request(...words: string[]): void {
    try {
      writeSync(this.#pipes?.requests ?? -1, `${words.join('\0')}\n`);
    } catch (error) {
      this.#lost();
      throw error;
    }
  }

  /** Waits for the line that answers a mount. */
  #answer(): string {
    const bytes = Buffer.alloc(4096);
    const read = readSync(this.#pipes?.answers ?? -1, bytes);
    if (read > 0) return bytes.toString('utf8', 0, read).trimEnd();
    this.#lost();
    return 'the process that mounts overlays has ended';
  }

  #lost(): void {
    for (const pipe of Object.values(this.#pipes ?? {})) closeSync(pipe);
    this.#pipes = null;
  }

  /**
   * Makes named pipes: a synchronous read cannot wait on the pipes that Node makes for a child. Each side keeps one end
   * only.
   */
  #start(): { requests: number; answers: number } {
    const ends = ['requests', 'answers'].map((name) => {
      const path = `${this.#dir}/${name}`;
      rmSync(path, { force: true });
      const made = spawnSync('/usr/bin/mkfifo', ['-m', '600', path], { encoding: 'utf8', env: {} });
      if (made.status !== 0) throw new Error(made.error?.message ?? made.stderr);
      const both = openSync(path, constants.O_RDWR); // so that the next two calls do not block
      const [reads, writes] = [openSync(path, constants.O_RDONLY), openSync(path, constants.O_WRONLY)];
      closeSync(both);
      rmSync(path);
      return { reads, writes };
    });
    const [requests = { reads: -1, writes: -1 }, answers = requests] = ends;
    const child = spawn(PYTHON, ['-I', '-S', '-c', MOUNT_OVERLAYS], {
      env: {},
      cwd: '/',
      stdio: [requests.reads, answers.writes, 'inherit'],
    });
    child.on('error', (error) => console.error(`overlays cannot be mounted: ${error.message}`));
    child.unref();
    closeSync(requests.reads);
    closeSync(answers.writes);
    return { requests: requests.writes, answers: answers.reads };
  }
}
