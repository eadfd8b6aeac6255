import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { syncFolder } from '../build/folders.ts';
import { errorCode, messageOf } from '../errors.ts';
import type { Runtime } from '../types.ts';
import { pythonReleases } from './catalog.ts';
import { pythonFolder, type PythonRecord } from './installed.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
/** Environment variables that a download needs. The secrets of the platform are not passed on. */
const PASSED = [
  'PATH', 'http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE',
]; // prettier-ignore
const LIMITS = {
  memoryBytes: 2 ** 30,
  cpus: 1,
  processes: 32,
  runTimeMs: 5 * 60_000,
  tmpBytes: 64 * 2 ** 20,
  fileBytes: 2 ** 28,
  logBytes: 2 ** 20,
};

/** An interpreter cannot be installed here. The message is for an operator. */
export class PythonNotInstalled extends Error {
  override readonly name = 'PythonNotInstalled';
}

const DESCRIBE = `
import json, sys, sysconfig
sys.path.insert(0, sys.argv[1])
try:
    import pip
    version = pip.__version__
except ImportError:
    version = None
for name in ("ssl", "sqlite3", "ctypes", "zlib", "bz2", "lzma", "decimal", "uuid", "hashlib", "zoneinfo", "asyncio", "multiprocessing"):
    __import__(name)
import ctypes
print(json.dumps({"version": "%d.%d" % sys.version_info[:2], "release": sys.version.split()[0], "pip": version,
  "platform": f'{sysconfig.get_config_var("SOABI")} {sysconfig.get_platform()}'}))
`;

/**
 * Downloads, checks, unpacks and compiles an interpreter, once per data folder. It appears only when it is complete. If
 * another process was faster, its interpreter stays.
 * @param draft a folder of the caller, who removes it.
 * @throws PythonNotInstalled when it cannot be installed.
 */
export async function installPython(
  runtime: Pick<Runtime, 'sandboxed'>,
  runtimeDir: string,
  version: string,
  draft: string,
): Promise<void> {
  const release = pythonReleases().find((one) => one.version === version);
  if (release === undefined) throw new PythonNotInstalled(`There is no Python ${version} for this machine.`);
  const folder = pythonFolder(runtimeDir, release);
  if (existsSync(folder)) return;
  await mkdir(join(draft, 'python'), { recursive: true, mode: 0o755 });
  await mkdir(join(runtimeDir, 'pythons'), { recursive: true, mode: 0o711 });
  await unpack(version, join(runtimeDir, 'pythons/archives'), join(draft, 'python'));
  const said = await tryOut(runtime, version, join(draft, 'python'));
  if (said.version !== version || said.release !== release.release)
    throw new PythonNotInstalled(`${release.url} holds Python ${said.release} instead of ${release.release}.`);
  const { platform, pip } = said;
  const record: PythonRecord = { release: said.release, platform, pip, sha256: release.sha256, url: release.url };
  await writeFile(join(draft, 'python/python.json'), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o644 });
  await syncFolder(draft);
  try {
    await rename(join(draft, 'python'), folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Unpacks in a process of its own at the lowest priority, as 100 MB are hashed and unpacked. */
async function unpack(version: string, archives: string, draft: string): Promise<void> {
  const passed = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.includes(name)));
  const child = spawn('nice', ['-n', '19', process.execPath, MAIN, version, archives, draft], {
    env: { ...passed, NODE_USE_ENV_PROXY: '1' },
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      words += messageOf(error);
      resolve(null);
    });
    child.once('close', resolve);
  });
  if (code !== 0) throw new PythonNotInstalled(words.trim().slice(-600) || `Unpacking ended with ${code}.`);
}

/** Compiles its library and asks it for its facts, in a sandbox without a network, on the root that it will run on. */
async function tryOut(
  runtime: Pick<Runtime, 'sandboxed'>,
  version: string,
  python: string,
): Promise<Omit<PythonRecord, 'sha256' | 'url'> & { version: string }> {
  const inside = async (
    command: readonly string[],
    writable: boolean,
  ): Promise<{ exitCode: number | null; stdout: string; words: string }> => {
    let words = '';
    const pip = join(python, 'pip');
    const { exitCode, cause, stdout } = await runtime.sandboxed({
      command: [`/python/bin/python${version}`, '-I', '-S', ...command],
      binds: [
        { from: join(python, 'home'), to: '/python', writable },
        ...(existsSync(pip) ? [{ from: pip, to: '/unpacked/pip', writable }] : []),
      ],
      environment: {},
      network: 'NONE',
      limits: LIMITS,
      onLine: ({ message }) => {
        words = `${words}${message}\n`.slice(-600);
      },
    });
    return { exitCode, stdout, words: cause?.detail ?? words };
  };
  const compile = ['-m', 'compileall', '-qq', '--invalidation-mode', 'unchecked-hash', `/python/lib/python${version}`];
  const pip = existsSync(join(python, 'pip')) ? ['/unpacked/pip'] : [];
  // Some templates of the library do not compile, as they are no programs. Only the next step decides.
  await inside([...compile, ...pip], true);
  const { exitCode, stdout, words } = await inside(['-c', DESCRIBE, '/unpacked'], false);
  if (exitCode !== 0) throw new PythonNotInstalled(`Python ${version} does not run on this machine: ${words.trim()}`);
  return JSON.parse(stdout) as Omit<PythonRecord, 'sha256' | 'url'> & { version: string };
}
