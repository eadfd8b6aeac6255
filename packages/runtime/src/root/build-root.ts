import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { takeLock } from '../runner/lock.ts';
import { COMMANDS } from '../sandbox/commands.ts';
import { downloadPackages, RootNotBuilt } from './debian-packages.ts';
import { currentRoot, makeCurrent, recordOf, rootsIn, type OwnRootRecord } from './own-root.ts';

const run = promisify(execFile);

/** Debian's Python, pip for the builds, the libraries that wheels expect, and our few commands. */
const PACKAGES = [
  'python3', 'python3-pip-whl', 'libstdc++6', 'libgomp1', 'tzdata', 'dash', 'coreutils', 'grep', 'sed', 'tar', 'gzip', 'util-linux',
]; // prettier-ignore
/** Part of the root's id. Raise it when the same packages should give another root. */
const FORM = '3';
/** Milliseconds for one command. Beyond them the build of the root fails. */
const LONGEST_MS = 20 * 60_000;
/** Folders of `/usr/share` that a root needs. Programs are listed in {@link COMMANDS}. */
const KEPT_SHARE = ['zoneinfo', 'python-wheels'];

interface BuildOptions {
  /**
   * Replace a root that has another Python. Packages of services that were built for the old one must be installed
   * again.
   */
  otherPython?: boolean;
  /** Called with each step. */
  say?: (line: string) => void;
}

/**
 * Builds the root of a data folder from packages that apt downloads and verifies, and makes it the current one. The
 * same packages give the same root, which is not built again. It needs neither root rights nor chroot. Returns null
 * while another process builds a root here.
 * @throws RootNotBuilt when this machine cannot build one.
 */
export async function buildOwnRoot(runtimeDir: string, options: BuildOptions = {}): Promise<string | null> {
  const { say = () => undefined } = options;
  const missing = ['apt-get', 'dpkg-deb', 'tar', 'bwrap'].filter((tool) => !existsSync(`/usr/bin/${tool}`) && !existsSync(`/bin/${tool}`));
  if (missing.length > 0) {
    throw new RootNotBuilt(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not installed.`,
      'Build it on a Debian or Ubuntu of the same architecture and copy the folder `runtime/roots` here.',
    );
  }
  const roots = rootsIn(runtimeDir);
  await mkdir(roots, { recursive: true, mode: 0o755 });
  const lock = takeLock(join(roots, 'lock'));
  if (lock === null) return null;
  const draft = join(roots, `draft-${randomUUID()}`);
  try {
    await removeDrafts(roots);
    await mkdir(join(draft, 'root'), { recursive: true, mode: 0o755 });
    const packages = await downloadPackages(draft, PACKAGES, say);
    const id = await idOf(draft, packages);
    if (!existsSync(join(roots, id))) {
      say(`Unpacking ${packages.length} packages.`);
      await unpack(draft);
      await prune(join(draft, 'root/usr'));
      const record = await describe(draft, id, packages);
      await writeFile(recordOf(join(draft, 'root')), `${JSON.stringify(record, null, 2)}\n`);
      await run('sync', ['--file-system', draft]);
      await rename(join(draft, 'root'), join(roots, id));
    }
    await refuseOtherPython(runtimeDir, id, options);
    makeCurrent(roots, id);
    say(`The root ${id} is ready.`);
    return id;
  } finally {
    await rm(draft, { recursive: true, force: true });
    lock.release();
  }
} // prettier-ignore

/** Uses a root that was built elsewhere: the content of a folder `roots`. On the same disk its files are hard links. */
export async function takeRoots(from: string, runtimeDir: string): Promise<void> {
  const roots = rootsIn(runtimeDir);
  await mkdir(roots, { recursive: true, mode: 0o755 });
  const { stdout } = await run('readlink', [join(from, 'current')]);
  const id = stdout.trim();
  try {
    await run('cp', ['--archive', '--link', join(from, id), join(roots, id)]);
  } catch {
    await rm(join(roots, id), { recursive: true, force: true }); // another disk
    await cp(join(from, id), join(roots, id), { recursive: true, verbatimSymlinks: true });
  }
  makeCurrent(roots, id);
}

async function idOf(draft: string, packages: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([FORM, COMMANDS, KEPT_SHARE]));
  for (const name of packages) {
    hash.update(name).update(
      createHash('sha256')
        .update(await readFile(join(draft, 'archives', name)))
        .digest(),
    );
  }
  return hash.digest('hex').slice(0, 24);
}

// Since Debian 12, /bin and others are links into /usr. dpkg's own unpacking would replace them with folders.
const UNPACK = `
set -e
cd "$1"
mkdir -p root/usr/bin root/usr/lib root/usr/lib64 root/usr/sbin
for name in bin lib lib64 sbin; do ln -s "usr/$name" "root/$name"; done
for deb in archives/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" > data.tar
  tar -C root -xf data.tar --keep-directory-symlink --no-same-owner --no-same-permissions \\
    --exclude './usr/share/doc*' --exclude './usr/share/man*' --exclude './usr/share/locale*' --exclude './etc*' --exclude './var*'
done
rm data.tar
mv -f root/usr/bin/dash root/usr/bin/sh
for name in root/* ; do case "$name" in root/usr) ;; *) rm -rf "$name";; esac; done
chmod -R u=rwX,go=rX,a-s root
`;

async function unpack(draft: string): Promise<void> {
  await run('/bin/sh', ['-c', UNPACK, 'sh', draft], { timeout: LONGEST_MS, maxBuffer: 64 * 1024 * 1024 });
}

async function prune(usr: string): Promise<void> {
  const keep = (name: string): boolean => COMMANDS.includes(name) || /^python3(\.\d+)?$/.test(name);
  for (const name of await readdir(join(usr, 'bin'))) if (!keep(name)) await rm(join(usr, 'bin', name));
  const lost = [...COMMANDS, 'python3'].filter((name) => !existsSync(join(usr, 'bin', name)));
  if (lost.length > 0) throw new Error(`The packages hold no ${lost.join(', ')}.`);
  for (const name of await readdir(join(usr, 'share')))
    if (!KEPT_SHARE.includes(name)) await rm(join(usr, 'share', name), { recursive: true });
  for (const name of ['sbin', 'include', 'games', 'src', 'local'])
    await rm(join(usr, name), { recursive: true, force: true });
}

const DESCRIBE = `
import glob, json, os, sys, sysconfig
platform = f'{sysconfig.get_config_var("SOABI")} {sysconfig.get_platform()}'
wheels = sorted(os.path.basename(one) for one in glob.glob("/usr/share/python-wheels/pip-*.whl"))
print(json.dumps({"python": "%d.%d" % sys.version_info[:2], "platform": platform, "pip": wheels[0]}))
`;

/**
 * Compiles the root's library, which sandboxes cannot do, and asks its Python for its facts. Both run in the root
 * itself.
 */
async function describe(draft: string, id: string, packages: string[]): Promise<OwnRootRecord> {
  const library = `${draft}/root/usr/lib`;
  const [python = ''] = (await readdir(library)).filter((name) => /^python3\.\d+$/.test(name));
  await inside(draft, ['-m', 'compileall', '-q', '-j', '1', '--invalidation-mode', 'unchecked-hash', `/usr/lib/${python}`]);
  const { stdout } = await inside(draft, ['-c', DESCRIBE]);
  return { id, ...(JSON.parse(stdout) as Pick<OwnRootRecord, 'python' | 'platform' | 'pip'>), packages };
} // prettier-ignore

async function inside(draft: string, command: readonly string[]): Promise<{ stdout: string }> {
  const links = ['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
  const mounts = [
    '--bind',
    `${draft}/root/usr`,
    '/usr',
    ...links,
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
  ];
  const options = ['--unshare-net', '--unshare-pid', '--unshare-ipc', '--die-with-parent', ...mounts];
  return run('bwrap', [...options, '--', '/usr/bin/python3', '-I', '-S', ...command], { env: {}, timeout: LONGEST_MS });
}

async function refuseOtherPython(runtimeDir: string, id: string, { otherPython }: BuildOptions): Promise<void> {
  const text = await readFile(recordOf(join(rootsIn(runtimeDir), id)), 'utf8');
  const { python } = JSON.parse(text) as OwnRootRecord;
  const before = currentRoot(runtimeDir);
  if (before === null || before.python === python || otherPython === true) return;
  throw new RootNotBuilt(
    `The packages hold Python ${python}, and the services of this installation were built for Python ${before.python}.`,
    'To change nevertheless: node script/sandbox-root.ts --other-python. Services with requirements must be uploaded again then.',
  );
}

/** Removes drafts of processes that were ended. We hold the lock, so no other process is building. */
async function removeDrafts(roots: string): Promise<void> {
  for (const name of await readdir(roots))
    if (name.startsWith('draft-')) await rm(join(roots, name), { recursive: true, force: true });
}
