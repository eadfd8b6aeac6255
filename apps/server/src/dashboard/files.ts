import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Refusal } from '../foundation/config/index.ts';
import { escapeHtml } from '../foundation/http/index.ts';

/** Text in index.html that each answer replaces with a nonce of its own. */
export const NONCE = '__NONCE__';

/** Text in index.html that is replaced by the issuer of a Keycloak's realm, and by nothing without one. */
const ISSUER = '__ISSUER__';

/** A finished build. */
export interface DashboardFiles {
  /** index.html, with NONCE where styles are allowed. */
  readonly page: string;
  /** Origin of the Keycloak at which people sign in; null with the embedded provider. */
  readonly signInOrigin: string | null;
  /** Sources of the scripts that stand in the page, for its content security policy. */
  readonly scriptHashes: readonly string[];
  /** Assets by the path in their address. Their names hold a hash of their content. */
  readonly assets: ReadonlyMap<string, Asset>;
}

interface Asset {
  readonly file: string;
  readonly media: string;
  /** The same file compressed with brotli; null where that saves nothing. */
  readonly compressed: string | null;
}

const MEDIA: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Reads the list of files of a build once. `issuer` is that of a realm, or null. Throws Refusal for a folder that holds
 * none.
 */
export async function readDashboard(folder: string, issuer: string | null): Promise<DashboardFiles> {
  const text = await readFile(path.join(folder, 'index.html'), 'utf8').catch((error: unknown) => {
    throw new Refusal(`KETHUB_DASHBOARD: ${folder} holds no build of the dashboard: ${String(error)}`);
  });
  const page = text.replace(ISSUER, escapeHtml(issuer ?? ''));
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, source = '']) => source);
  const scriptHashes = scripts.map((source) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`);
  const names = new Set(globSync('assets/*', { cwd: folder }));
  const assets = new Map<string, Asset>();
  for (const name of names) {
    const media = MEDIA[path.extname(name)];
    if (media === undefined) continue;
    const compressed = names.has(`${name}.br`) ? path.join(folder, `${name}.br`) : null;
    assets.set(`/${name}`, { file: path.join(folder, name), media, compressed });
  }
  return { page, signInOrigin: issuer === null ? null : new URL(issuer).origin, scriptHashes, assets };
}
