import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Names of the images of a test cluster. */
export const PAUSE = 'localhost/kethub-pause:1';
export const PYTHON = 'localhost/kethub-python:1';

/** Commands beside Python in its image. */
const COMMANDS = ['dash', 'rm', 'sleep', 'cat', 'ls', 'dd', 'id', 'env', 'head', 'touch', 'ln', 'true'];
/** Libraries that wheels expect of a machine. */
const LIBRARIES = [
  'libpthread.so.0',
  'libdl.so.2',
  'librt.so.1',
  'libutil.so.1',
  'libm.so.6',
  'libstdc++.so.6',
  'libgomp.so.1',
  'libgcc_s.so.1',
  'libz.so.1',
];
const LIB = '/usr/lib/x86_64-linux-gnu';

/** Makes the image of the process that holds a pod together, and imports it with `load`. */
export function loadPause(load: (archive: string) => void): void {
  withArchive(
    PAUSE,
    ['/bin/busybox', 'sh', '-c', "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done"],
    load,
    (root) => {
      mkdirSync(path.join(root, 'bin'));
      for (const name of ['busybox', 'sleep', 'sh']) cpSync('/bin/busybox', path.join(root, 'bin', name));
    },
  );
}

/** Makes an image with this machine's Python, a shell and a few commands, and imports it with `load`. */
export function loadPython(load: (archive: string) => void): void {
  withArchive(PYTHON, ['/usr/bin/python3'], load, (root) => {
    for (const folder of [
      'usr/bin',
      'usr/lib',
      'usr/lib64',
      'etc',
      'tmp',
      'var/runtime',
      'app',
      'runner',
      'deps',
      'run/kethub',
      'proc',
      'dev',
      'sys',
    ])
      mkdirSync(path.join(root, folder), { recursive: true });
    for (const link of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${link}`, path.join(root, link));
    const python = realpathSync('/usr/bin/python3');
    const library = `/usr/lib/${path.basename(python)}`;
    const programs = [python, ...COMMANDS.map((name) => `/usr/bin/${name}`)];
    for (const program of programs) cpSync(program, path.join(root, program), { dereference: true });
    symlinkSync(path.basename(python), path.join(root, 'usr/bin/python3'));
    symlinkSync('dash', path.join(root, 'usr/bin/sh'));
    cpSync(library, path.join(root, library), {
      recursive: true,
      filter: (from) => !/\/(test|__pycache__|ensurepip|idlelib)$/.test(from),
    });
    const modules = readdirSync(`${library}/lib-dynload`).map((name) => `${library}/lib-dynload/${name}`);
    const more = LIBRARIES.map((name) => `${LIB}/${name}`).filter((file) => existsSync(file));
    for (const file of librariesOf([...programs, ...modules, ...more]).concat(more)) {
      const to = path.join(root, 'usr', file.replace(/^\/(usr\/)?/, ''));
      mkdirSync(path.dirname(to), { recursive: true });
      cpSync(realpathSync(file), to);
    }
    writeFileSync(path.join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\nservice:x:1000:1000::/tmp:/bin/sh\n');
    writeFileSync(path.join(root, 'etc/group'), 'root:x:0:\nservice:x:1000:\n');
  });
}

/** Paths of the shared libraries that programs and modules need. */
function librariesOf(files: readonly string[]): string[] {
  const said = spawnSync('ldd', [...files], { encoding: 'utf8', maxBuffer: 2 ** 26 }).stdout;
  return [...new Set([...said.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].map(([, file = '']) => file))];
}

/** Packs a folder as an image of one layer, in the form that `docker save` writes. */
function withArchive(
  name: string,
  command: readonly string[],
  load: (archive: string) => void,
  fill: (root: string) => void,
): void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-image-'));
  try {
    const root = path.join(folder, 'root');
    mkdirSync(root);
    fill(root);
    const pack = ['--create', '--owner=0', '--group=0', '--numeric-owner'];
    execFileSync('tar', [...pack, '--file', path.join(folder, 'layer.tar'), '--directory', root, '.']);
    const digest = createHash('sha256')
      .update(readFileSync(path.join(folder, 'layer.tar')))
      .digest('hex');
    const config = {
      architecture: 'amd64',
      os: 'linux',
      config: { Entrypoint: command, Env: ['PATH=/usr/bin:/bin'] },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
    };
    writeFileSync(path.join(folder, 'config.json'), JSON.stringify(config));
    const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }];
    writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
    const archive = path.join(folder, 'image.tar');
    execFileSync('tar', [
      ...pack,
      '--file',
      archive,
      '--directory',
      folder,
      'manifest.json',
      'config.json',
      'layer.tar',
    ]);
    load(archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
