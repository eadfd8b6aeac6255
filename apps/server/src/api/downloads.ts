import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';

/** Folder of the repository. */
const ROOT = path.resolve(import.meta.dirname, '../../../..');
const PACKAGE_PROGRAM = path.join(ROOT, 'script/package.ts');

interface Download {
  readonly content: Buffer;
  readonly etag: string;
}

interface Offer {
  readonly name: string;
  readonly mediaType: string;
  /** The option of the program that makes it. */
  readonly option: string;
  /** The command that installs it, before its address. */
  readonly install: string;
}

/**
 * Offers the command line that fits this platform, as an npm package and as a wheel, and a page that names both. Each is
 * made in a child process when somebody asks for it first, and kept in memory (about 250 kB).
 */
export function serveDownloads(app: FastifyInstance, prefix: string): void {
  const end = new AbortController();
  app.addHook('onClose', () => end.abort());
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'apps/cli/package.json'), 'utf8')) as { version: string };
  const offers: readonly Offer[] = [
    { name: 'ket.tgz', mediaType: 'application/gzip', option: '--npm', install: 'npm install --global' },
    {
      // pip reads the version in this name, and refuses any other form of it.
      name: `kethub-${version}-py3-none-any.whl`,
      mediaType: 'application/zip',
      option: '--wheel',
      install: 'pip install',
    },
  ];
  for (const { name, mediaType, option } of offers) {
    let made: Promise<Download | null> | null = null;
    app.get(`${prefix}/downloads/${name}`, { schema: { hide: true } }, async (request, reply) => {
      made ??= make(option, end.signal).catch((error: unknown) => {
        if (!end.signal.aborted) app.log.error({ err: error }, `${name} cannot be packed`);
        made = null; // the next request tries again
        return null;
      });
      const download = await made;
      if (!download) return reply.callNotFound();
      const { content, etag } = download;
      void reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.header('content-type', mediaType).send(content);
    });
  }
  const page = pageOf(offers);
  app.get(`${prefix}/downloads/ket`, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
      })
      .send(page),
  );
}

/** A page with a relative link to each file, as people and `pip --find-links` read it. */
function pageOf(offers: readonly Offer[]): string {
  const items = offers.map(({ name, install }) => `<li><code>${install}</code> <a href="${name}">${name}</a></li>`);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ket, the command line of this platform</title>
<h1>ket, the command line of this platform</h1>
<p>Install one of these by its address. The first needs Node from 22.15 on, the second Python alone.</p>
<ul>
${items.join('\n')}
</ul>
</html>
`;
}

async function make(option: string, signal: AbortSignal): Promise<Download> {
  const child = spawn(process.execPath, [PACKAGE_PROGRAM, option], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: os.tmpdir(), NODE_ENV: 'production' },
    signal,
  });
  const [content, errors, [status]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (status !== 0) throw new Error(`The program ended with status ${String(status)}:\n${errors.slice(-2_000)}`);
  return { content, etag: `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"` };
}
