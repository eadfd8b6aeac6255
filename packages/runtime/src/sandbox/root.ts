import { createHash } from 'node:crypto';
import {
  chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, statSync,
  symlinkSync, writeFileSync,
} from 'node:fs'; // prettier-ignore
import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import type { Places } from '../places.ts';
import { seccompFilter } from './seccomp.ts';

/** What the inside of every sandbox is made of. */
export interface SandboxRoot {
  /** Holds `usr`, `etc`, `runner` and `seccomp.bpf`. */
  dir: string;
  /** Folders of this machine shown at their own place: Python's library and the shared libraries. */
  shown: string[];
}

/** Shown in no sandbox: needed only to run other people's programs or to look around. */
const COMMANDS = [
  'sh', 'cat', 'chmod', 'cp', 'cut', 'date', 'dirname', 'basename', 'echo', 'env', 'false', 'head', 'ln', 'ls', 'mkdir', 'mv', 'rm',
  'rmdir', 'sleep', 'sort', 'tail', 'tee', 'test', 'touch', 'tr', 'true', 'uname', 'wc', 'grep', 'sed', 'tar', 'gzip', 'prlimit',
]; // prettier-ignore

// Asked once: where the interpreter lives, its own library, and the folders of the shared libraries that it and its modules load.
const ASK_PYTHON = `
import sys, os, sysconfig, json
for module in ("ssl", "sqlite3", "ctypes", "zlib", "bz2", "lzma", "decimal", "uuid", "hashlib"):
    try: __import__(module)
    except ImportError: pass
libraries = {os.path.dirname(os.path.realpath(line.split(None, 5)[5].strip())) for line in open("/proc/self/maps") if ".so" in line and len(line.split()) > 5}
paths = sysconfig.get_paths()
print(json.dumps({"executable": os.path.realpath(sys.executable), "version": sys.version, "libraries": sorted(libraries),
  "standard": sorted({os.path.realpath(paths["stdlib"]), os.path.realpath(paths["platstdlib"])})}))
`;

const ZONES = '/usr/share/zoneinfo';

interface Python {
  executable: string;
  version: string;
  libraries: string[];
  standard: string[];
}

/** Where Python is looked for: the same one that installs requirements. */
export const PYTHON = '/usr/bin/python3';

/**
 * Builds the root once per Python and per version of our own Python side, and removes older ones.
 * The host's `/usr` is not shown as a whole: only a copy of the interpreter and of a few commands, and three folders at their place.
 * Measured: showing them as binds costs 0.3 ms per start against a complete copy (74 MB), which would also miss security updates.
 */
export function prepareRoot({ runtimeDir, mark }: Places, pythonSide: string): SandboxRoot {
  const python = askPython();
  const parent = join(runtimeDir, 'root');
  const key = `${rootKey(python, pythonSide)}-${mark}`; // the mark is what sweeping knows sandboxes by
  const dir = join(parent, key);
  const shown = outermost([
    ...(existsSync(ZONES) ? [ZONES] : []),
    ...python.standard,
    ...python.libraries.filter((folder) => !inside(folder, python.standard)),
  ]);
  mkdirSync(parent, { recursive: true, mode: 0o711 });
  for (const name of readdirSync(parent))
    if (name !== key) rmSync(join(parent, name), { recursive: true, force: true });
  if (!existsSync(dir)) {
    const draft = join(parent, `draft-${process.pid}`);
    build(draft, python, shown, pythonSide);
    renameSync(draft, dir);
  }
  return { dir, shown };
}

function askPython(): Python {
  const asked = spawnSync(PYTHON, ['-I', '-S', '-c', ASK_PYTHON], { encoding: 'utf8', env: {}, cwd: '/' });
  if (asked.status !== 0) {
    throw new Error(`${PYTHON} could not be asked where it lives: ${asked.error?.message ?? asked.stderr}`);
  }
  return JSON.parse(asked.stdout) as Python;
}

function rootKey(python: Python, pythonSide: string): string {
  const hash = createHash('sha256');
  const { size, mtimeMs } = statSync(python.executable);
  hash.update(JSON.stringify(['3', python, size, mtimeMs, COMMANDS]));
  for (const name of readdirSync(pythonSide, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const file = join(pythonSide, name);
    if (name.endsWith('.py') && statSync(file).isFile()) hash.update(name).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

function build(dir: string, python: Python, shown: string[], pythonSide: string): void {
  const folder = (path: string): string => {
    mkdirSync(join(dir, path), { recursive: true, mode: 0o755 });
    return join(dir, path);
  };
  folder('usr/bin');
  folder('usr/lib');
  folder('usr/lib64');
  for (const path of shown) folder(path);
  folder(dirname(python.executable));
  copyFileSync(python.executable, join(dir, python.executable));
  if (python.executable !== PYTHON) symlinkSync(python.executable, join(dir, PYTHON));
  for (const command of COMMANDS) {
    const found = ['/usr/bin', '/bin'].map((place) => join(place, command)).find((path) => existsSync(path));
    if (found !== undefined) copyFileSync(realpathSync(found), join(dir, 'usr/bin', command));
  }
  for (const loader of ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']) {
    const link = join(dir, 'usr', loader);
    if (existsSync(loader) && !existsSync(link)) symlinkSync(realpathSync(loader), link);
  }
  writeEtc(folder('etc'));
  cpSync(pythonSide, folder('runner'), { recursive: true, filter: (source) => basename(source) !== '__pycache__' });
  // A sandbox cannot write there: without this every execution would compile our side again.
  spawnSync(
    PYTHON,
    ['-I', '-S', '-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', '-s', dir, join(dir, 'runner')],
    {
      env: {},
      cwd: '/',
    },
  );
  const filter = seccompFilter(process.arch);
  if (filter === null) throw new Error(`There is no system-call filter for the architecture ${process.arch}.`);
  writeFileSync(join(dir, 'seccomp.bpf'), filter);
  spawnSync('chmod', ['-R', 'u=rwX,go=rX', dir]);
  chmodSync(dir, 0o755);
}

function writeEtc(etc: string): void {
  const files: Record<string, string> = {
    passwd:
      'root:x:0:0:root:/:/bin/false\nservice:x:1000:1000:service:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
    group: 'root:x:0:\nservice:x:1000:\nnogroup:x:65534:\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    hosts: '127.0.0.1 localhost service\n::1 localhost\n',
    'resolv.conf': '',
    localtime: '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(etc, name), text);
  rmSync(join(etc, 'localtime'));
  symlinkSync('/usr/share/zoneinfo/UTC', join(etc, 'localtime'));
  for (const copied of ['/etc/ld.so.cache', '/etc/ssl/certs/ca-certificates.crt']) {
    if (!existsSync(copied)) continue;
    mkdirSync(dirname(join(dirname(etc), copied)), { recursive: true });
    copyFileSync(copied, join(dirname(etc), copied));
  }
}

function inside(folder: string, parents: string[]): boolean {
  return parents.some((parent) => folder === parent || folder.startsWith(`${parent}/`));
}

function outermost(folders: string[]): string[] {
  return [...new Set(folders)].filter(
    (folder) => !folders.some((other) => other !== folder && inside(folder, [other])),
  );
}
