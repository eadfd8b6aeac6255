import type { FastifyInstance } from 'fastify';
import { Problem } from './problem.ts';

/** What a process needs to do its work, by name; each says whether it is there now. */
export type Needs = Readonly<Record<string, () => boolean | Promise<boolean>>>;

/** How long an answer is good for: whoever asks more often costs nothing. */
const FRESH_MS = 1_000;
const TIMEOUT_MS = 2_000;

/** Asks for every need at most once a second, and waits for an answer at most two. Returns those that are not met. */
export function createReadiness(needs: Needs, now: () => number): () => Promise<readonly string[]> {
  let asked = Number.NEGATIVE_INFINITY;
  let answer: Promise<readonly string[]> = Promise.resolve([]);
  return () => {
    if (now() - asked >= FRESH_MS) {
      asked = now();
      answer = unmet(needs);
    }
    return answer;
  };
}

async function unmet(needs: Needs): Promise<string[]> {
  const names = await Promise.all(
    Object.entries(needs).map(async ([name, isMet]) => ((await inTime(isMet)) ? [] : [name])),
  );
  return names.flat();
}

async function inTime(isMet: () => boolean | Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), TIMEOUT_MS);
  try {
    return await Promise.race([isMet(), late.promise]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * `GET /health`: the process answers. `GET /ready`: it has what it needs, else 503 that names what is missing. For
 * whoever operates the platform: without authentication, not counted by limits, not part of the interface.
 */
export function serveHealth(app: FastifyInstance, readiness: () => Promise<readonly string[]>): void {
  const headers = { 'cache-control': 'no-store' };
  app.get('/health', { schema: { hide: true } }, (_request, reply) => reply.headers(headers).send({ status: 'LIVE' }));
  app.get('/ready', { schema: { hide: true } }, async (_request, reply) => {
    const missing = await readiness();
    if (missing.length > 0)
      throw new Problem('not-ready', `This process cannot work now. Missing: ${missing.join(', ')}.`, { headers });
    return reply.headers(headers).send({ status: 'READY' });
  });
}
