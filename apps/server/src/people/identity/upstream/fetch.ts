import type { CustomFetch } from 'openid-client';
import { CircuitBreaker } from '../circuit-breaker.ts';

/** Bytes of an answer; a larger one counts as a failure. Discovery documents, key sets and tokens have a few KiB. */
const MOST_BYTES = 1024 * 1024;

/**
 * A `fetch` for an OpenID provider that may be slow, down or broken. A circuit breaker limits the time of each call,
 * up to its last byte. Answers below 500 are returned, also 400; 429 and answers from 500 on count as failures.
 */
export function createUpstreamFetch(now: () => number): CustomFetch {
  const breaker = new CircuitBreaker(now);
  return (url, { body, headers, method }) =>
    breaker.run(async (signal) => {
      // Redirects are not followed, so that codes and secrets go only to addresses from the discovery document.
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
