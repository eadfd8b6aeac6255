import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { pythonReleases } from '@kethub/runtime/pythons';
import { ket } from '@kethub/cli/testing/ket';
import { call, localServers, logOf, resultOf } from './ket/served.ts';

// Packages and interpreters come from their registries.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const { root, project, serve } = localServers();
const isRoot = process.getuid?.() === 0;
const pip = (python: string, ...args: string[]): void => {
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...args], {
    stdio: 'inherit',
  });
};
const usesSix = 'import six\ndef run(): return {"version": six.__version__}\n';
const saysPython = 'import sys\ndef run(): return {"version": "%d.%d" % sys.version_info[:2], "prefix": sys.prefix}\n';

/** Starts a server, calls the service once, and returns the result. */
async function resultIn(folder: string, args: readonly string[], environment: Record<string, string> = {}) {
  const served = await serve(folder, args, { environment });
  const { id, status } = await call(served.url, {});
  return { ...served, status, result: await resultOf(served.url, id) };
}

describe('uv', () => {
  let programs: string;
  beforeAll(() => {
    const venv = path.join(root, 'with uv');
    execFileSync('python3', ['-m', 'venv', venv]);
    pip(path.join(venv, 'bin/python'), 'uv==0.9.11');
    programs = `${path.join(venv, 'bin')}:${process.env['PATH'] ?? ''}`;
  });

  test('makes .kethub/venv, which a later ket without uv makes anew', async () => {
    const folder = project({ 'src/program.py': usesSix, 'requirements.txt': 'six==1.16.0\n' });
    const first = await resultIn(folder, ['--mode', 'paths'], { PATH: programs, UV_NATIVE_TLS: '1' });
    expect(first.result).toMatchObject({ version: '1.16.0' });
    const made = path.join(folder, '.kethub/venv');
    expect(readFileSync(path.join(made, 'pyvenv.cfg'), 'utf8')).toContain('uv = ');
    first.child.kill('SIGINT');
    await expect.poll(() => existsSync(path.join(folder, '.kethub/serve/pid')), { timeout: 60_000 }).toBe(false);
    writeFileSync(path.join(folder, 'requirements.txt'), 'six==1.17.0\n');
    expect((await resultIn(folder, ['--mode', 'paths'])).result).toMatchObject({ version: '1.17.0' });
    expect(readFileSync(path.join(made, 'pyvenv.cfg'), 'utf8')).not.toContain('uv = ');
  });

  test('its .venv is used, in the mode that is best here', async () => {
    const folder = project({ 'src/program.py': usesSix, 'requirements.txt': 'six\n' });
    const env = { ...process.env, PATH: programs };
    execFileSync('uv', ['venv', '--quiet', '.venv'], { cwd: folder, env, stdio: 'inherit' });
    execFileSync('uv', ['pip', 'install', '--quiet', 'six==1.16.0'], { cwd: folder, env, stdio: 'inherit' });
    const { result, environment } = await resultIn(folder, []);
    expect([environment, result]).toMatchObject([expect.stringContaining('(.venv)'), { version: '1.16.0' }]);
  });
});

describe.skipIf(process.arch !== 'x64')('an environment of the form of conda, with an interpreter of its own', () => {
  const prefix = path.join(root, 'conda env');
  beforeAll(async () => {
    const release = pythonReleases().find(({ version }) => version === '3.12');
    if (release === undefined) throw new Error('There is no Python 3.12 for this machine.');
    const archive = path.join(root, 'python.zip');
    const bytes = Buffer.from(await (await fetch(release.url)).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(release.sha256);
    writeFileSync(archive, bytes);
    execFileSync('python3', ['-m', 'zipfile', '-e', archive, path.join(root, 'unpacked')]);
    execFileSync('cp', ['-r', path.join(root, 'unpacked', release.prefix), prefix]);
    chmodSync(path.join(prefix, 'bin/python3.12'), 0o755);
    symlinkSync('python3.12', path.join(prefix, 'bin/python'));
    mkdirSync(path.join(prefix, 'conda-meta'));
    writeFileSync(path.join(prefix, 'conda-meta/history'), '==> 2026-01-01 00:00:00 <==\n');
    pip(path.join(prefix, 'bin/python'), 'six==1.16.0');
  });

  test('is used when it is active; the sandbox says why it is not', async () => {
    const folder = project({ 'src/program.py': `${saysPython}import six\n`, 'requirements.txt': 'six\n' });
    const { result, mode, about, environment } = await resultIn(folder, [], { CONDA_PREFIX: prefix });
    expect(result).toMatchObject({ version: '3.12', prefix });
    expect(environment).toBe('Python 3.12 ($CONDA_PREFIX)');
    expect([mode, about]).toEqual([
      expect.stringMatching(/namespace|paths/),
      expect.stringContaining('this is Python 3.12'),
    ]);
  });

  test('--python goes first, and another version than the project asks for is reported', async () => {
    const folder = project({ 'src/program.py': saysPython, '.python-version': '3.11\n' });
    const args = ['--python', path.join(prefix, 'bin/python'), '--mode', 'paths'];
    const { result, errors } = await resultIn(folder, args, { VIRTUAL_ENV: '/nowhere' });
    expect(result).toMatchObject({ version: '3.12' });
    await expect.poll(errors, { timeout: 60_000 }).toContain('.python-version asks for Python 3.11');
  });
});

test('an editable installation is found, and a save in it is used by the next execution', async () => {
  const folder = project({ 'src/program.py': 'import mine\ndef run(): return {"word": mine.WORD}\n' });
  const library = path.join(folder, 'my lib');
  mkdirSync(path.join(library, 'mine'), { recursive: true });
  writeFileSync(path.join(library, 'mine/__init__.py'), 'WORD = "one"\n');
  writeFileSync(path.join(library, 'pyproject.toml'), '[project]\nname = "mine"\nversion = "1"\n');
  execFileSync('python3', ['-m', 'venv', path.join(folder, '.venv')]);
  const python = path.join(folder, '.venv/bin/python');
  pip(python, 'setuptools', 'wheel');
  pip(python, '--no-build-isolation', '-e', library);
  const { result, url, about } = await resultIn(folder, []);
  expect([result, about]).toMatchObject([{ word: 'one' }, expect.stringContaining('refers to packages elsewhere')]);
  writeFileSync(path.join(library, 'mine/__init__.py'), 'WORD = "two"\n');
  const word = async () => (await resultOf(url, (await call(url, {})).id))['word'];
  await expect.poll(word, { timeout: 60_000 }).toBe('two');
});

test('a package that is added to the environment mends a failing import, without a save', async () => {
  const folder = project({ 'src/program.py': usesSix, 'requirements.txt': '# six is missing\n' });
  execFileSync('python3', ['-m', 'venv', path.join(folder, '.venv')]);
  const { url, errors } = await serve(folder, ['--mode', 'paths']);
  expect(await call(url, {})).toMatchObject({ status: 503, detail: expect.stringContaining('src/program.py, line 1') });
  pip(path.join(folder, '.venv/bin/python'), 'six==1.16.0');
  await expect.poll(async () => (await call(url, {})).status, { timeout: 120_000 }).toBe('SUCCEEDED');
  // It would be missing on the platform.
  expect(errors()).toContain('src/program.py, line 1: six is installed here, but requirements.txt does not bring it');
  const { unlisted } = (await (await fetch(`${url}serve.json`)).json()) as { unlisted: object[] };
  expect(unlisted).toMatchObject([{ distribution: 'six', line: 1 }]);
});

describe('no usable Python', () => {
  const refused = async (args: string[], environment: Record<string, string> = {}) => {
    const folder = project({ 'src/program.py': saysPython });
    const { code, stderr } = await ket(['serve', folder, ...args], { folder, environment });
    return [code, stderr] as const;
  };

  test('none on the machine, none at the path, none in the active environment', async () => {
    expect(await refused([], { PATH: '/nowhere' })).toEqual([2, expect.stringContaining('There is no Python')]);
    const none = await refused(['--python', '/nowhere/python']);
    expect(none).toEqual([2, expect.stringContaining('The Python of /nowhere/python does not run')]);
    const gone = await refused([], { VIRTUAL_ENV: '/nowhere' });
    expect(gone).toEqual([2, expect.stringContaining('The Python of $VIRTUAL_ENV does not run')]);
  });

  test('one that is too old, and one that answers nonsense', async () => {
    const stub = (name: string, text: string): string => {
      const file = path.join(root, name);
      writeFileSync(file, `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 });
      return file;
    };
    const old = await refused(['--python', stub('old python', '[[3, 8], "/x", "/y", "/y"]')]);
    expect(old).toEqual([2, expect.stringMatching(/Python 3\.8 .* is too old: a service needs 3\.10 or later/)]);
    const nonsense = await refused(['--python', stub('no python', 'hello')]);
    expect(nonsense).toEqual([2, expect.stringContaining('is no Python')]);
  });

  test('packages that do not exist are reported with the last lines of pip', async () => {
    const folder = project({ 'src/program.py': saysPython, 'requirements.txt': 'no-package-of-that-name-at-all==1\n' });
    const { code, stderr } = await ket(['serve', folder, '--mode', 'paths'], { folder });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/could not be installed[\s\S]*no-package-of-that-name-at-all/),
    ]);
  });
});

test.skipIf(!isRoot)(
  'a folder that may not be written is served by somebody else, with the state in their cache',
  async () => {
    const folder = project({ 'src/program.py': usesSix, 'requirements.txt': 'six==1.16.0\n' });
    const home = project({});
    chownSync(home, 54_321, 54_321);
    const as = { uid: 54_321, gid: 54_321 };
    const environment = { HOME: home, KETHUB_CONFIG_DIR: home };
    const { url, mode } = await serve(folder, [], { environment, as });
    const { id } = await call(url, {});
    expect([mode, await resultOf(url, id)]).toMatchObject([
      expect.stringMatching(/sandbox|namespace|paths/),
      { version: '1.16.0' },
    ]);
    expect(existsSync(path.join(folder, '.kethub'))).toBe(false);
    expect(existsSync(path.join(home, '.cache/kethub/serve'))).toBe(true);
  },
);

test.skipIf(!isRoot)(
  'the mode is chosen by what the machine has: without bubblewrap, and without namespaces as well',
  async () => {
    const folder = project({ 'src/program.py': saysPython });
    const node = [process.execPath, path.resolve(import.meta.dirname, '../apps/cli/src/main.ts')];
    const hiding = (...hidden: string[]) => {
      const mounts = hidden.map((file) => `mount --bind /dev/null ${file}`).join(' && ');
      return ['unshare', '--mount', 'sh', '-c', `${mounts} && exec "$@"`, 'sh', ...node];
    };
    const plain = await serve(folder, []);
    expect([plain.mode, plain.about]).toEqual(['sandbox', 'in the sandbox of the platform']);
    const second = project({ 'src/program.py': saysPython });
    const without = await serve(second, [], { ket: hiding('/usr/bin/bwrap') });
    expect([without.mode, without.about]).toEqual(['namespace', expect.stringMatching(/no sandbox: .+/)]);
    const third = project({ 'src/program.py': saysPython });
    const neither = await serve(third, [], { ket: hiding('/usr/bin/bwrap', '/usr/bin/unshare') });
    expect([neither.mode, neither.about]).toEqual(['paths', expect.stringMatching(/no sandbox: .+; no namespace: .+/)]);
    for (const { url } of [plain, without, neither]) {
      const { id, status } = await call(url, {});
      expect([status, await logOf(url, id)]).toEqual(['SUCCEEDED', expect.anything()]);
    }
  },
);
