import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** A layer of an image: a compressed archive of files, and its digests. */
export interface Layer {
  readonly file: string;
  readonly digest: string;
  /** Digest of its content without compression. */
  readonly diffId: string;
  readonly bytes: number;
}

export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Env: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly ExposedPorts?: Readonly<Record<string, object>>;
  readonly Volumes?: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Time of every file in an image, so that the same content gives the same digest. */
const TIME = '2026-01-01T00:00:00Z';
const SAME = [
  '--sort=name',
  `--mtime=${TIME}`,
  '--numeric-owner',
  '--format=posix',
  '--pax-option=delete=atime,delete=ctime',
];

/** Packs the content of a folder as a layer that belongs to root, except the folders in `owned`, which are of user 1000. */
export async function packLayer(folder: string, file: string, owned: readonly string[] = []): Promise<Layer> {
  const tar = `${file}.tar`;
  const excluded = owned.map((name) => `--exclude=./${name}`);
  execFileSync('tar', ['--create', ...SAME, '--owner=0', '--group=0', ...excluded, '--file', tar, '--directory', folder, '.']);
  if (owned.length > 0) {
    const names = owned.map((name) => `./${name}`);
    const second = `${tar}.rest`;
    execFileSync('tar', ['--create', ...SAME, '--owner=1000', '--group=1000', '--file', second, '--directory', folder, ...names]);
    execFileSync('tar', ['--concatenate', '--file', tar, second]);
    rmSync(second);
  }
  // gzip writes neither name nor time of the file.
  execFileSync('gzip', ['--no-name', '--force', '-6', tar]);
  renameSync(`${tar}.gz`, file);
  return describeLayer(file);
} // prettier-ignore

export async function describeLayer(file: string): Promise<Layer> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(file), digest);
  const content = createHash('sha256');
  await pipeline(createReadStream(file), createGunzip(), content);
  return { file, digest: digest.digest('hex'), diffId: content.digest('hex'), bytes: statSync(file).size };
}

/**
 * Writes an image as an archive that `docker load`, `podman load` and `ctr images import` read. It is an OCI layout,
 * with the manifest of `docker save` for engines that know only that. Returns the digest of the OCI manifest.
 */
export function writeImage(archive: string, name: string, layers: readonly Layer[], config: ImageConfig): string {
  const folder = mkdtempSync(`${archive}.`);
  try {
    const blobs = path.join(folder, 'blobs/sha256');
    mkdirSync(blobs, { recursive: true });
    const blob = (mediaType: string, content: object): { mediaType: string; digest: string; size: number } => {
      const text = JSON.stringify(content);
      const digest = createHash('sha256').update(text).digest('hex');
      writeFileSync(path.join(blobs, digest), text);
      return { mediaType, digest: `sha256:${digest}`, size: text.length };
    };
    for (const layer of layers) linkSync(layer.file, path.join(blobs, layer.digest));
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
    const settings = blob('application/vnd.oci.image.config.v1+json', {
      created: TIME,
      architecture,
      os: 'linux',
      config,
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => `sha256:${diffId}`) },
    });
    const manifest = blob('application/vnd.oci.image.manifest.v1+json', {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: settings,
      layers: layers.map(({ digest, bytes }) => ({
        mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
        digest: `sha256:${digest}`,
        size: bytes,
      })),
    });
    const tag = name.slice(name.lastIndexOf(':') + 1);
    const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': tag };
    const files = {
      'oci-layout': { imageLayoutVersion: '1.0.0' },
      'index.json': {
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.index.v1+json',
        manifests: [{ ...manifest, platform: { os: 'linux', architecture }, annotations }],
      },
      'manifest.json': [
        {
          Config: `blobs/sha256/${settings.digest.slice(7)}`,
          RepoTags: [name],
          Layers: layers.map(({ digest }) => `blobs/sha256/${digest}`),
        },
      ],
    };
    for (const [file, content] of Object.entries(files)) writeFileSync(path.join(folder, file), JSON.stringify(content));
    const written = `${archive}.new`;
    // As plain files: an archive with links would not be read by every engine.
    execFileSync('tar', ['--create', '--hard-dereference', ...SAME, '--owner=0', '--group=0', '--file', written, '--directory', folder, '.']);
    renameSync(written, archive);
    return manifest.digest;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} // prettier-ignore
