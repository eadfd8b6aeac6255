import type { FastifyInstance } from 'fastify';
import { Problem } from '@kethub/service-api';

/** Dependencies of a process by name, each with a check whether it is available now. */
export type Needs = Readonly<Record<string, () => boolean | Promise<boolean>>>;

/** Milliseconds for which the result of the checks is reused. */
const FRESH_MS = 1_000;
/** Milliseconds that a check may take; then its dependency counts as missing. */
const TIMEOUT_MS = 2_000;

/** Returns a function that runs the checks, at most once a second, and gives the names of the missing dependencies. */
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
 * Adds `GET /health` (200 while the process answers) and `GET /ready` (503 with the names of missing dependencies, or
 * once the process stops).
 * Both are for operators: without authentication, exempt from rate limits, and not in the OpenAPI document.
 */
export function serveHealth(app: FastifyInstance, readiness: () => Promise<readonly string[]>): void {
  const headers = { 'cache-control': 'no-store' };
  app.get('/health', { schema: { hide: true } }, (_request, reply) => reply.headers(headers).send({ status: 'LIVE' }));
  app.get('/ready', { schema: { hide: true } }, async (_request, reply) => {
    if (app.drain.isBegun) throw new Problem('stopping', 'This process is being stopped.', { headers });
    const missing = await readiness();
    if (missing.length > 0)
      throw new Problem('not-ready', `This process cannot work now. Missing: ${missing.join(', ')}.`, { headers });
    return reply.headers(headers).send({ status: 'READY' });
  });
}
