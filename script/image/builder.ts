import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../run.ts';
import { describeLayer, writeImage, type ImageConfig, type Layer } from './archive.ts';
import { systemLayer } from './system.ts';

/** Programs that build images in a pod, without a daemon and as user 1000. */
const PACKAGES = [
  'dash',
  'coreutils',
  'python3',
  'buildah',
  'skopeo',
  'uidmap',
  'util-linux',
  'ca-certificates',
  'tzdata',
];

/**
 * Packs two programs anew with the capability that each one needs to give a user namespace further users. A capability
 * is an attribute that only root can set on a file, and anybody in an archive.
 */
const WITH_CAPABILITIES = `
import gzip, struct, sys, tarfile
system, target = sys.argv[1:]
with tarfile.open(system) as layer, open(target, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
    with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for name, bit in (("./usr/bin/newgidmap", 6), ("./usr/bin/newuidmap", 7)):
            entry = layer.getmember(name)
            rights = struct.pack("<5I", 0x02000001, 1 << bit, 0, 0, 0)
            entry.pax_headers = {"SCHILY.xattr.security.capability": rights.decode("utf-8", "surrogateescape")}
            archive.addfile(entry, layer.extractfile(entry))
`;

/** Name of the image in tests. */
export const BUILDER = 'localhost/kethub-builder:1';

/** Makes the layers of the image that builds Docker services in a cluster. */
export async function builderLayers(cache: string, say: (line: string) => void): Promise<Layer[]> {
  const system = await systemLayer(PACKAGES, cache, say, (root) => {
    for (const name of ['subuid', 'subgid']) writeFileSync(path.join(root, 'etc', name), 'kethub:100000:65536\n');
  });
  const file = path.join(cache, 'builder-rights.tar.gz');
  rmSync(file, { force: true });
  execFileSync('python3', ['-I', '-S', '-c', WITH_CAPABILITIES, system.file, file], { stdio: 'inherit' });
  return [system, await describeLayer(file)];
}

export function builderConfig(labels: ImageConfig['Labels']): ImageConfig {
  return {
    Entrypoint: ['/bin/sh'],
    Env: ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LANG=C.UTF-8', 'HOME=/tmp'],
    User: '1000:1000',
    WorkingDir: '/tmp',
    StopSignal: 'SIGTERM',
    Labels: labels,
  };
} // prettier-ignore

/** Writes the image for tests. Returns the path of the archive. */
export async function buildBuilder(say: (line: string) => void): Promise<string> {
  const cache = path.join(root, '.runtime/image');
  mkdirSync(cache, { recursive: true });
  const archive = path.join(cache, 'kethub-test-builder.tar');
  writeImage(archive, BUILDER, await builderLayers(cache, say), builderConfig({}));
  return archive;
}
