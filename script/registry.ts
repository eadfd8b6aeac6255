import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import type { Tool } from './system-tools.ts';

/** Programs of a registry of images, and for bringing images to it. */
export const registryTools: readonly Tool[] = [
  { what: 'Docker registry', package: 'docker-registry', isThere: () => existsSync('/usr/bin/docker-registry') },
  { what: 'Skopeo', package: 'skopeo', isThere: () => existsSync('/usr/bin/skopeo') },
];

/** The user of a registry that asks for one. The line is in the form of htpasswd (bcrypt). */
export const REGISTRY_USER = { name: 'kethub', password: 's3cret-of-the-registry' };
const HTPASSWD = 'kethub:$2b$05$GFjQbiuY.B9vBNzsjL28que18q8/KwsNG6FxWWD7/VrkNBoj8hEWK';

export interface Registry {
  /** Host and port. */
  readonly host: string;
  /** Folder of its images, and of uploads that are under way. */
  readonly images: string;
  /** Ends the registry, and keeps its images. */
  down(): Promise<void>;
  /** Starts it again with its images. */
  up(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a registry without TLS on an address of this machine, which asks for the user or for nobody. */
export async function startRegistry(address: string, access: 'USER' | 'ANYBODY'): Promise<Registry> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-registry-'));
  const host = `${address}:${await freePort()}`;
  const images = path.join(folder, 'images');
  const settings = path.join(folder, 'config.yml');
  const users = path.join(folder, 'htpasswd');
  writeFileSync(users, `${HTPASSWD}\n`);
  writeFileSync(
    settings,
    JSON.stringify({
      version: '0.1',
      log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: images }, delete: { enabled: true } },
      http: { addr: host, secret: 'of-a-test' },
      ...(access === 'USER' && { auth: { htpasswd: { realm: 'kethub', path: users } } }),
    }),
  );
  let end: () => Promise<void> = () => Promise.resolve();
  const up = async (): Promise<void> => {
    const child = spawn('docker-registry', ['serve', settings], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    end = async () => {
      child.kill();
      await ended;
    };
    for (;;) {
      const answer = await fetch(`http://${host}/v2/`).catch(() => null);
      if (answer !== null) return;
      if (child.exitCode !== null) throw new Error('The registry does not start; it says why above.');
      await pause(50);
    }
  };
  await up();
  return {
    host,
    images,
    up,
    down: () => end(),
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
