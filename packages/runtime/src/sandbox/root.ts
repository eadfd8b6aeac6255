import { createHash } from 'node:crypto';
import {
  chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, statSync,
  symlinkSync, writeFileSync,
} from 'node:fs'; // prettier-ignore
import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import type { RunnerPaths } from '../paths.ts';
import { currentRoot, type OwnRoot } from '../root/own-root.ts';
import { COMMANDS } from './commands.ts';
import { masksOf, writeMasks, type Mask } from './masks.ts';
import { seccompFilter } from './seccomp.ts';

/** The folders that make up the inside of every sandbox. */
export interface SandboxRoot {
  /** Holds `etc`, `runner` and `seccomp.bpf`. */
  dir: string;
  /** Mounted as `/usr`. */
  usr: string;
  /** Folders of this machine that appear at the same path: Python's library and the shared libraries. */
  shown: { from: string; to: string }[];
  /** Holds the devices. */
  devices: string;
  /** Hidden entries of /proc. */
  masks: Mask[];
  /** Folders of Python's standard library, on this machine. */
  standard: string[];
  /** Id of the root that we built, or null when the root is made of this machine's `/usr`. */
  own: string | null;
  /** Version of its Python, for example `3.11`. */
  python: string;
}

// Reports the path of the interpreter, its library, and the folders of the shared libraries that it and its modules
// load.
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

/** The interpreter of this machine. It also installs requirements. */
export const PYTHON = '/usr/bin/python3';

/**
 * Returns the root of sandboxes: the root that we built ({@link currentRoot}) or, where there is none, a part of this
 * machine's `/usr`. That is a copy of the interpreter and of a few commands, and three folders at their own path. It is
 * made once per Python and per version of our Python side.
 * @param sweep removes older roots. Allowed only while no sandbox lives.
 */
export function prepareRoot({ runtimeDir, mark }: RunnerPaths, pythonSide: string, sweep: boolean): SandboxRoot {
  const own = currentRoot(runtimeDir);
  const python = own === null ? askPython() : null;
  const shown = python === null ? [] : shownOf(python);
  const parent = join(runtimeDir, 'root');
  // the sweep of sandboxes finds the mark in their mounts
  const key = `${rootKey(own?.id ?? python, pythonSide)}-${mark}`;
  const dir = join(parent, key);
  mkdirSync(parent, { recursive: true, mode: 0o711 });
  for (const name of sweep ? readdirSync(parent) : [])
    if (name !== key) rmSync(join(parent, name), { recursive: true, force: true });
  if (!existsSync(dir)) {
    const draft = join(parent, `draft-${process.pid}`);
    build(draft, python, shown, pythonSide, own);
    renameSync(draft, dir);
  }
  const libraries = own === null ? (python?.standard ?? []) : [join(own.usr, 'lib', `python${own.python}`)];
  const standard = libraries.flatMap((library) => [library, join(library, 'lib-dynload')]);
  return {
    dir,
    usr: own?.usr ?? join(dir, 'usr'),
    shown: shown.map((path) => ({ from: path, to: path })),
    devices: '/dev',
    masks: masksOf(dir),
    standard,
    own: own?.id ?? null,
    python: own?.python ?? /^\d+\.\d+/.exec(python?.version ?? '')?.[0] ?? '',
  };
}

function shownOf(python: Python): string[] {
  return outermost([
    ...(existsSync(ZONES) ? [ZONES] : []),
    ...python.standard,
    ...python.libraries.filter((folder) => !inside(folder, python.standard)),
  ]);
}

function askPython(): Python {
  const asked = spawnSync(PYTHON, ['-I', '-S', '-c', ASK_PYTHON], { encoding: 'utf8', env: {}, cwd: '/' });
  if (asked.status !== 0) {
    throw new Error(`${PYTHON} could not be asked where it lives: ${asked.error?.message ?? asked.stderr}`);
  }
  return JSON.parse(asked.stdout) as Python;
}

function rootKey(from: Python | string | null, pythonSide: string): string {
  const hash = createHash('sha256');
  const { size, mtimeMs } =
    typeof from === 'object' && from !== null ? statSync(from.executable) : { size: 0, mtimeMs: 0 };
  hash.update(JSON.stringify(['5', from, size, mtimeMs, COMMANDS]));
  for (const name of readdirSync(pythonSide, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const file = join(pythonSide, name);
    if (name.endsWith('.py') && statSync(file).isFile()) hash.update(name).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

function build(dir: string, python: Python | null, shown: string[], pythonSide: string, own: OwnRoot | null): void {
  const folder = (path: string): string => {
    mkdirSync(join(dir, path), { recursive: true, mode: 0o755 });
    return join(dir, path);
  };
  if (python !== null) copyFromMachine(dir, folder, python, shown);
  writeEtc(folder('etc'), own === null);
  writeMasks(dir);
  cpSync(pythonSide, folder('runner'), { recursive: true, filter: (source) => basename(source) !== '__pycache__' });
  compile(dir, own);
  const filter = seccompFilter(process.arch);
  if (filter === null) throw new Error(`There is no system-call filter for the architecture ${process.arch}.`);
  writeFileSync(join(dir, 'seccomp.bpf'), filter);
  spawnSync('chmod', ['-R', 'u=rwX,go=rX', dir]);
  chmodSync(dir, 0o755);
}

function copyFromMachine(dir: string, folder: (path: string) => string, python: Python, shown: string[]): void {
  folder('usr/bin');
  folder('usr/lib');
  folder('usr/lib64');
  for (const path of shown) folder(path);
  folder(dirname(python.executable));
  copyFileSync(python.executable, join(dir, python.executable));
  if (python.executable !== PYTHON) symlinkSync(python.executable, join(dir, PYTHON));
  for (const command of COMMANDS) {
    const found = ['/usr/bin', '/bin'].map((binaries) => join(binaries, command)).find((path) => existsSync(path));
    if (found !== undefined) copyFileSync(realpathSync(found), join(dir, 'usr/bin', command));
  }
  for (const loader of ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']) {
    const link = join(dir, 'usr', loader);
    if (existsSync(loader) && !existsSync(link)) symlinkSync(realpathSync(loader), link);
  }
}

/** Compiles our Python side once. A sandbox cannot write there, so every execution would compile it again. */
function compile(dir: string, own: OwnRoot | null): void {
  const options = ['-I', '-S', '-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash'];
  const around = { env: {}, cwd: '/' };
  if (own === null) {
    spawnSync(PYTHON, [...options, '-s', dir, join(dir, 'runner')], around);
    return;
  }
  const links = ['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
  const mounts = ['--ro-bind', own.usr, '/usr', ...links, '--proc', '/proc', '--bind', join(dir, 'runner'), '/runner'];
  spawnSync('bwrap', ['--die-with-parent', ...mounts, '--', PYTHON, ...options, '/runner'], around);
}

function writeEtc(etc: string, ofMachine: boolean): void {
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
  // Certificates that the operator trusts, also for a root that we built.
  for (const copied of [...(ofMachine ? ['/etc/ld.so.cache'] : []), '/etc/ssl/certs/ca-certificates.crt']) {
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
