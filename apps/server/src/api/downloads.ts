import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
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

/**
 * Offers the command line that fits this platform, as `npm install --global {base_url}/downloads/ket.tgz` takes it. It is
 * made in a child process when somebody asks for it first, and kept in memory (about 200 kB).
 */
export function serveDownloads(app: FastifyInstance, prefix: string): void {
  const end = new AbortController();
  let made: Promise<Download | null> | null = null;
  app.addHook('onClose', () => end.abort());
  app.get(`${prefix}/downloads/ket.tgz`, { schema: { hide: true } }, async (request, reply) => {
    made ??= make(end.signal).catch((error: unknown) => {
      if (!end.signal.aborted) app.log.error({ err: error }, 'the command line cannot be packed');
      return null;
    });
    const download = await made;
    if (!download) return reply.callNotFound();
    const { content, etag } = download;
    void reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.header('content-type', 'application/gzip').send(content);
  });
}

async function make(signal: AbortSignal): Promise<Download> {
  const child = spawn(process.execPath, [PACKAGE_PROGRAM, '--npm'], {
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
