import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ToolsMissing } from '../system-tools.ts';

/** Version of Go that builds Kubernetes, from the proxy of Go modules. A machine needs no Go of its own. */
const GO = 'v0.0.1-go1.26.8.linux-amd64';
const PROXY = 'https://proxy.golang.org/golang.org/toolchain/@v';
/** Minutes for the download and the build. Both take 9 to 25 on two cores; they took 33 beside two runs of tests. */
const LIMIT_MINUTES = 60;
const HERE = import.meta.dirname;

/** Folder of what is built once for a machine and all its clones. */
export function cacheFolder(): string {
  return path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'kethub');
}

/**
 * Path of the program that is etcd, API server, controllers, scheduler and kubelet. The first call builds it from
 * published Go modules and keeps it by the digest of its sources. Throws ToolsMissing.
 */
export function buildKubernetes(say: (line: string) => void): string {
  return buildModule('kubernetes', HERE, '9 to 25 minutes', say);
}

/** Path of the program that enforces network policies on a node, built and kept in the same way. Throws ToolsMissing. */
export function buildPolicies(say: (line: string) => void): string {
  return buildModule('policies', path.join(HERE, 'policies'), '1 to 5 minutes', say);
}

function buildModule(name: string, from: string, takes: string, say: (line: string) => void): string {
  const sources = ['main.go', 'go.mod', 'go.sum'].map((file) => readFileSync(path.join(from, file)));
  const digest = createHash('sha256').update(GO);
  for (const source of sources) digest.update(source);
  return builtOnce(`${name}-${digest.digest('hex').slice(0, 16)}`, (folder) => {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      throw new ToolsMissing('Kubernetes is built for Linux on x86-64 only.');
    say(`building ${name} from its Go modules, once for this machine: ${takes} ...`);
    const made = path.join(folder, name);
    callGo(['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', made, '.'], from, {
      GOFLAGS: '-mod=readonly',
    });
    return made;
  });
}

/**
 * Path of a program that is built once for this machine. `make` builds it in a folder and returns its path there. It
 * appears only when complete: an interrupted build is repeated, and of two at the same time one wins.
 */
export function builtOnce(name: string, make: (folder: string) => string): string {
  const built = path.join(cacheFolder(), name);
  if (existsSync(built)) return built;
  mkdirSync(cacheFolder(), { recursive: true });
  const folder = mkdtempSync(path.join(cacheFolder(), 'building-'));
  try {
    renameSync(make(folder), built);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return built;
}

/** Runs `go` with its caches beside what is built. Throws ToolsMissing. */
export function callGo(args: string[], folder: string, environment: Record<string, string> = {}): void {
  call(fetchGo(), args, folder, {
    GOTOOLCHAIN: 'local',
    GOPATH: path.join(cacheFolder(), 'go'),
    GOCACHE: path.join(cacheFolder(), 'go-build'),
    GOPROXY: 'https://proxy.golang.org',
    CGO_ENABLED: '0',
    ...environment,
  });
}

/** Path of the command `go`. Its archive is a module, so that the proxy serves it like any other. */
function fetchGo(): string {
  const home = path.join(cacheFolder(), `golang.org-toolchain@${GO}`);
  const go = path.join(home, 'bin', 'go');
  if (existsSync(go)) return go;
  const folder = mkdtempSync(path.join(cacheFolder(), 'fetching-'));
  try {
    const archive = path.join(folder, 'go.zip');
    call('curl', ['-fsSL', '--connect-timeout', '15', '--max-time', '600', '--output', archive, `${PROXY}/${GO}.zip`]);
    call('python3', ['-c', UNPACK, archive, folder]);
    if (!existsSync(home)) renameSync(path.join(folder, `golang.org`, `toolchain@${GO}`), home);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return go;
}

/** Unpacks a ZIP and makes its programs executable, which the archive of a module does not say. */
const UNPACK = `
import os, sys, zipfile
archive, folder = sys.argv[1:]
zipfile.ZipFile(archive).extractall(folder)
for at, _, names in os.walk(folder):
    if os.path.basename(at) == "bin" or "/pkg/tool/" in at:
        for name in names: os.chmod(os.path.join(at, name), 0o755)
`;

function call(command: string, args: string[], cwd = '/', environment: Record<string, string> = {}): void {
  // Others of this machine come first. A build takes minutes either way.
  const run = spawnSync('nice', ['-n', '19', command, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: os.homedir(), ...proxies(), ...environment },
    encoding: 'utf8',
    timeout: LIMIT_MINUTES * 60_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  if (run.status === 0) return;
  const words = run.error?.message ?? (run.stderr + run.stdout).slice(-2_000);
  throw new ToolsMissing(`A server for tests cannot be built here: ${command} failed: ${words}`);
}

/** Variables by which a machine names its proxies. */
function proxies(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => /^(https?|no|all)_proxy$/i.test(entry[0]) && entry[1] !== undefined,
    ),
  );
}
