import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { KethubProcess, type Settings } from '@kethub/server/testing/child-process';
import { freePort } from '../../script/free-port.ts';
import { startNginx } from '@kethub/server/testing/nginx';
import type { Version } from './versions.ts';

export interface Part {
  readonly name: string;
  readonly role: 'api' | 'gateway' | 'worker' | 'git';
  process: KethubProcess;
  readonly dataDir: string;
}

/** Two apis, two gateways, two workers and a git behind nginx. */
export interface Installation {
  readonly origin: string;
  readonly parts: readonly Part[];
  /** Replaces a process by that of another version, as docs/operations.md says. */
  replace(part: Part, version: Version): Promise<void>;
  addPerson(version: Version, username: string, password: string): void;
  stop(): Promise<void>;
}

const ROLES = ['api', 'api', 'gateway', 'gateway', 'worker', 'worker', 'git'] as const;
const PORTS = {
  api: 'KETHUB_PORT',
  git: 'KETHUB_PORT',
  gateway: 'KETHUB_GATEWAY_PORT',
  worker: 'KETHUB_WORKER_PORT',
} as const;

/** Starts all processes of a version on an empty database. */
export async function openInstallation(folder: string, databaseUrl: string, version: Version): Promise<Installation> {
  const [platformPort, gatewayPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${platformPort}`;
  const shared: Settings = {
    DATABASE_URL: databaseUrl,
    KETHUB_BLOBS: path.join(folder, 'blobs'),
    KETHUB_INSTANCE_KEY: '44'.repeat(32),
    KETHUB_PUBLIC_URL: origin,
    KETHUB_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}`,
    KETHUB_TRUSTED_PROXIES: '127.0.0.1',
    KETHUB_DASHBOARD: 'off',
    KETHUB_DEMO: 'off',
    KETHUB_WORKER_CPUS: '8',
    KETHUB_WORKER_MEMORY_MB: '65536',
    KETHUB_WARM_MEMORY_MB: '32',
    KETHUB_LOG_LEVEL: 'warn',
  };
  const planned: (Omit<Part, 'process' | 'port'> & { port: number; readonly settings: Settings })[] = [];
  for (const [index, role] of ROLES.entries()) {
    const name = `${role}-${index}`;
    const dataDir = path.join(folder, name);
    const port = await freePort();
    const settings = { ...shared, KETHUB_ROLES: role, KETHUB_DATA_DIR: dataDir, [PORTS[role]]: String(port) };
    planned.push({ name, role, dataDir, port, settings });
  }
  /** nginx, with one process out of its rotation. `beside` is the port of a second git. */
  const configured = (out: string | null, beside: number | null = null): string => {
    const upstream = (role: Part['role']): string =>
      `upstream ${role} {\n${planned
        .filter((part) => part.role === role)
        .map(({ port, name }) => `server 127.0.0.1:${port} max_fails=0${name === out ? ' down' : ''};`)
        .concat(role === 'git' && beside !== null ? `server 127.0.0.1:${beside} max_fails=0;` : [])
        .join('\n')}\n}\n`;
    // Clients open a connection for each request: nginx itself closes idle ones when it is configured anew.
    return `${upstream('api')}${upstream('gateway')}${upstream('git')}
keepalive_timeout 0;
client_max_body_size 0; proxy_request_buffering off; proxy_buffering off; proxy_http_version 1.1;
proxy_read_timeout 1h; proxy_set_header Host $http_host; proxy_set_header Connection "";
proxy_set_header X-Forwarded-For $remote_addr;
server { listen 127.0.0.1:${platformPort};
location / { proxy_pass http://api; } location /git/ { proxy_pass http://git; } location /api/-/ { proxy_pass http://git; } }
server { listen 127.0.0.1:${gatewayPort}; location / { proxy_pass http://gateway; } }
`;
  };
  const proxyFolder = path.join(folder, 'nginx');
  mkdirSync(proxyFolder, { recursive: true });
  const nginx = await startNginx(proxyFolder, configured(null), platformPort);
  const parts: Part[] = planned.map(({ settings, port, ...part }) => ({
    ...part,
    process: new KethubProcess(settings, port, version.program),
  }));
  const stop = async (): Promise<void> => {
    await nginx.stop();
    await Promise.all(parts.map((part) => part.process.end()));
  };
  try {
    await Promise.all(parts.map((part) => part.process.ready()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    origin,
    parts,
    async replace(part, next) {
      const { process, role, name } = part;
      const plan = planned.find((one) => one.name === name);
      if (role === 'git' && plan) {
        // The next one serves the same repositories beside it.
        const port = await freePort();
        const beside = new KethubProcess({ ...plan.settings, KETHUB_PORT: String(port) }, port, next.program);
        part.process = beside;
        try {
          await beside.ready();
          await nginx.configure(configured(name, port));
        } finally {
          await process.end();
        }
        plan.port = port;
        await nginx.configure(configured(null));
        return;
      }
      const isShared = role === 'api' || role === 'gateway';
      if (isShared) await nginx.configure(configured(name));
      await process.restart(next.program);
      if (isShared) await nginx.configure(configured(null));
    },
    addPerson(of, username, password) {
      const dataDir = path.join(folder, 'tool');
      const environment = { ...shared, KETHUB_ROLES: 'api', KETHUB_DATA_DIR: dataDir, PATH: process.env['PATH'] ?? '' };
      mkdirSync(dataDir, { recursive: true });
      const program = path.join(import.meta.dirname, 'add-person.ts');
      execFileSync(process.execPath, [program, of.folder, username, password], { env: environment, stdio: 'inherit' });
    },
    stop,
  };
}

/** Folders of the deployed code on a worker that executions open their marks in; none before the first execution. */
export function marksOf({ dataDir }: Part): string[] {
  const sources = path.join(dataDir, 'runtime', 'sources');
  return readdirSync(sources)
    .filter((name) => !name.startsWith('.'))
    .map((name) => path.join(sources, name, 'marks'));
}
