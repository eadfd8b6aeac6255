import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeImage, type ImageConfig, type Layer } from './image/archive.ts';
import { builderConfig, builderLayers } from './image/builder.ts';
import { DASHBOARD, HOME, packagesLayer, programLayer } from './image/program.ts';
import { forgetOldLayers, systemLayer } from './image/system.ts';
import { root } from './run.ts';

// npm run image [-- folder]: writes three images as archives into a folder (default: .runtime/image), from packages of
// Debian, npm and this clone. `platform` plays the roles api, gateway and git; `worker` plays all of them. `builder` builds
// Docker services in a cluster.
// docker load, podman load and ctr images import read them.

/** Programs of every role: an init, a shell, certificates, Git with its sandbox, and the dump of PostgreSQL for backups. */
const PLATFORM = [
  'dash',
  'coreutils',
  'grep',
  'sed',
  'tar',
  'gzip',
  'util-linux',
  'libstdc++6',
  'ca-certificates',
  'tzdata',
  'tini',
  'git',
  'bubblewrap',
  'postgresql-client',
];
/** Programs that run and build services. */
const WORKER = ['python3', 'python3-pip', 'libgomp1', 'busybox-static'];

const cache = path.join(root, '.runtime/image');
const folder = path.resolve(process.argv[2] ?? cache);
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
const revision = execFileSync('git', ['-C', root, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
for (const at of [cache, folder]) mkdirSync(at, { recursive: true });

const packages = await packagesLayer(cache, say);
const program = await programLayer(cache, say);
const systems = {
  platform: await systemLayer(PLATFORM, cache, say),
  worker: await systemLayer([...PLATFORM, ...WORKER], cache, say),
};
const builder = await builderLayers(cache, say);
const digests: Record<string, string> = {};
for (const [target, system] of Object.entries(systems))
  write(target, [system, packages, program], configOf(target as keyof typeof systems));
write('builder', builder, builderConfig(labelsOf('builder')));
writeFileSync(path.join(folder, 'digests.json'), `${JSON.stringify(digests, null, 2)}\n`);
forgetOldLayers(cache, [packages, program, ...builder, ...Object.values(systems)]);

function write(target: string, layers: readonly Layer[], config: ImageConfig): void {
  const name = `localhost/kethub-${target}:${version}`;
  const archive = path.join(folder, `kethub-${target}-${version}.tar`);
  digests[name] = writeImage(archive, name, layers, config);
  process.stdout.write(`${archive}  ${name}  ${Math.ceil(statSync(archive).size / 1024 / 1024)} MB\n`);
}

function labelsOf(target: string): ImageConfig['Labels'] {
  return {
    'org.opencontainers.image.title': `Kethub ${target}`,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': revision,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  };
}

function configOf(target: 'platform' | 'worker'): ImageConfig {
  const settings = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: '/tmp',
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: '/tmp/node-compile-cache',
    KETHUB_DATA_DIR: '/var/lib/kethub',
    KETHUB_HOST: '0.0.0.0',
    KETHUB_DASHBOARD: DASHBOARD,
    KETHUB_DEMO: 'off',
    // The /usr of this image is nothing but packages of Debian, and sandboxes see a part of it.
    KETHUB_SANDBOX_ROOT: 'machine',
    ...(target === 'platform' && { KETHUB_ROLES: 'api,gateway,git' }),
  };
  return {
    Entrypoint: ['/usr/bin/tini', '--', '/usr/bin/node', '--max-semi-space-size=16', `${HOME}/apps/server/src/main.ts`],
    Env: Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    User: '1000:1000',
    WorkingDir: '/var/lib/kethub',
    StopSignal: 'SIGTERM',
    ExposedPorts: { '8080/tcp': {}, '8081/tcp': {}, '8082/tcp': {} },
    Volumes: { '/var/lib/kethub': {} },
    Labels: labelsOf(target),
  };
}
