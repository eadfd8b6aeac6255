import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { downloadPackages } from '@kethub/runtime/root';
import { describeLayer, packLayer, type Layer } from './archive.ts';

/** Part of the name of a layer. Raise it when the same packages should give another one. */
const FORM = '1';

// dpkg's own unpacking would replace the links /bin, /lib and /sbin by folders.
const UNPACK = `
set -e
cd "$1"
mkdir -p root/usr/bin root/usr/lib root/usr/lib64 root/usr/sbin
for name in bin lib lib64 sbin; do ln -s "usr/$name" "root/$name"; done
for deb in archives/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" > data.tar
  tar -C root -xf data.tar --keep-directory-symlink --no-same-owner --no-same-permissions \\
    --exclude './usr/share/doc/*' --exclude './usr/share/man*' --exclude './usr/share/locale*' --exclude './usr/share/info*' \\
    --exclude './usr/share/bash-completion*' --exclude './usr/share/lintian*' --exclude './var/*'
done
rm data.tar
cd root
[ -e usr/bin/sh ] || ln -s dash usr/bin/sh
# No program of an image gives its caller the rights of another user.
chmod -R u=rwX,go=rX,a-s .
mkdir -p dev etc proc run sys tmp var/tmp root
chmod 1777 tmp var/tmp
chmod 700 root
rm -rf usr/share/doc var/lib var/cache var/log boot home media mnt srv usr/games usr/src usr/include
cat usr/share/ca-certificates/mozilla/*.crt > certificates 2>/dev/null || true
mkdir -p etc/ssl/certs
mv certificates etc/ssl/certs/ca-certificates.crt
`;

/**
 * Makes a layer of packages of Debian, without their scripts, on an empty root. apt checks signatures and hashes. The same
 * packages give the same layer, which `cache` keeps.
 */
export async function systemLayer(
  packages: readonly string[],
  cache: string,
  say: (line: string) => void,
  prepare: (root: string) => void = () => undefined,
): Promise<Layer> {
  const draft = mkdtempSync(path.join(cache, 'system-'));
  try {
    const names = await downloadPackages(draft, packages, say);
    const key = createHash('sha256').update(JSON.stringify([FORM, UNPACK, String(prepare), names])).digest('hex');
    const file = path.join(cache, `system-${key.slice(0, 24)}.tar.gz`);
    if (existsSync(file)) return await describeLayer(file);
    say(`Unpacking ${names.length} packages.`);
    execFileSync('/bin/sh', ['-c', UNPACK, 'sh', draft], { stdio: ['ignore', 'ignore', 'inherit'] });
    const root = path.join(draft, 'root');
    const version = /^ca-certificates_([^_]+)_/.exec(names.find((name) => name.startsWith('ca-certificates_')) ?? '');
    if (version !== null && readFileSync(path.join(root, 'etc/ssl/certs/ca-certificates.crt')).length === 0)
      throw new Error(`The package ca-certificates ${version[1] ?? ''} has no certificates.`);
    writeFileSync(path.join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/usr/sbin/nologin\nkethub:x:1000:1000::/var/lib/kethub:/bin/sh\n');
    writeFileSync(path.join(root, 'etc/group'), 'root:x:0:\nkethub:x:1000:\n');
    writeFileSync(path.join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
    writeFileSync(path.join(root, 'etc/packages'), `${names.join('\n')}\n`);
    prepare(root);
    execFileSync('/sbin/ldconfig', ['-r', root]);
    return await packLayer(root, file);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
} // prettier-ignore

/** Copies a program into a root. */
export function addProgram(from: string, root: string, to: string): void {
  const target = path.join(root, to);
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(from, target, { dereference: true });
  chmodSync(target, 0o755);
}

/** Removes layers that were not used in this run. */
export function forgetOldLayers(cache: string, used: readonly Layer[]): void {
  const kept = new Set(used.map(({ file }) => path.basename(file)));
  for (const name of readdirSync(cache))
    if (name.endsWith('.tar.gz') && !kept.has(name)) rmSync(path.join(cache, name), { force: true });
}
