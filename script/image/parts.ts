import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fetchKeycloak } from '../keycloak.ts';
import { root } from '../run.ts';
import { buildS3 } from '../s3.ts';
import { packLayer, writeImage } from './archive.ts';
import { addProgram, systemLayer } from './system.ts';

/** Name of an image that stands in for those of PostgreSQL, nginx, Keycloak and versitygw where none can be pulled. */
export const PARTS = 'localhost/kethub-test-parts:1';
const PACKAGES = [
  'bash',
  'dash',
  'coreutils',
  'findutils',
  'grep',
  'sed',
  'postgresql',
  'nginx-light',
  'default-jre-headless',
  'ca-certificates',
];
/** Certificates that the scripts of a package make, which no image runs. */
const CACERTS = '/etc/ssl/certs/java/cacerts';

/** Writes the image from packages of Debian, Keycloak's archive and a Go module. Returns the path of the archive. */
export async function buildParts(say: (line: string) => void): Promise<string> {
  const cache = path.join(root, '.runtime/image');
  const keycloak = await fetchKeycloak(say);
  const draft = path.join(cache, 'parts');
  rmSync(draft, { recursive: true, force: true });
  const system = await systemLayer(PACKAGES, cache, say, (at) => {
    if (!existsSync(CACERTS)) return;
    mkdirSync(path.join(at, path.dirname(CACERTS)), { recursive: true });
    cpSync(CACERTS, path.join(at, CACERTS), { dereference: true });
  });
  addProgram(buildS3(say), draft, 'usr/bin/versitygw');
  cpSync(keycloak, path.join(draft, 'opt/keycloak'), { recursive: true });
  for (const name of ['opt/keycloak/data/h2', 'opt/keycloak/data/import', 'data', 'var/lib/postgresql/data', 'var/log/nginx', 'var/lib/nginx'])
    mkdirSync(path.join(draft, name), { recursive: true });
  const layer = await packLayer(draft, path.join(cache, 'parts-layer.gz'), ['opt/keycloak', 'data', 'var']);
  rmSync(draft, { recursive: true, force: true });
  const archive = path.join(cache, 'kethub-test-parts.tar');
  writeImage(archive, PARTS, [system, layer], {
    Entrypoint: ['/bin/sh', '-c'],
    Env: ['PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'LANG=C.UTF-8', 'HOME=/tmp'],
    User: '1000:1000',
    WorkingDir: '/tmp',
    StopSignal: 'SIGTERM',
    Labels: { 'org.opencontainers.image.title': 'Stand-ins of tests' },
  });
  return archive;
} // prettier-ignore
