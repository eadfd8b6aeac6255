import type { CustomFetch } from 'openid-client';
import { CircuitBreaker } from '../circuit-breaker.ts';

/** Bytes of one answer; a larger one counts as a failure. Discovery documents, key sets and tokens have a few KiB. */
const MOST_BYTES = 1024 * 1024;

/**
 * Calls of an OpenID provider that may be slow, down or broken: a circuit breaker limits each, up to its last byte, and
 * watches them all. What the provider answers is its judgement, also 400; from 500 on, and 429, it says nothing.
 */
export function createUpstreamFetch(now: () => number): CustomFetch {
  const breaker = new CircuitBreaker(now);
  return (url, { body, headers, method }) =>
    breaker.run(async (signal) => {
      // Codes and secrets go to no other address than the one that was found by discovery.
      const request = { headers, method, signal, redirect: 'manual', ...(body != null && { body }) } as const;
      const response = await fetch(url, request);
      if (response.status >= 500 || response.status === 429) {
        await response.body?.cancel();
        throw new Error(`${method} ${url} answered ${response.status}`);
      }
      const { status, headers: answered } = response;
      const bytes = await read(response);
      return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers: answered });
    });
}

async function read(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`${response.url} answered more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
