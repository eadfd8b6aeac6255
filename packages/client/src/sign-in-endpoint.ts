import type { SignInEndpoint } from '@kethub/contract';
import { attempt, readBody, readJson, withoutSlash, type CallOptions } from './connection.ts';
import { answerError, KethubError } from './errors.ts';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The address at which users of the platform at {base_url} sign in: {auth_url}, possibly of another host. Throws
 * KethubError when what is typed there would go over the network unprotected while the platform itself is protected.
 */
export async function findSignInEndpoint({
  baseUrl,
  fetch: fetchIt = fetch,
  signal,
}: CallOptions & { readonly baseUrl: string; readonly fetch?: typeof fetch }): Promise<string> {
  const url = `${withoutSlash(baseUrl)}/sign-in`;
  const response = await attempt(fetchIt, url, { redirect: 'manual', ...(signal && { signal }) });
  if (!response.ok) throw await readBody(response, signal, () => answerError('GET', url, response));
  const { issuer } = await readJson<Partial<SignInEndpoint>>(response, signal);
  if (typeof issuer === 'string' && isAsSafe(issuer, url)) return issuer;
  throw new KethubError({
    code: 'unexpected-answer',
    status: response.status,
    title: 'Unexpected answer',
    detail: `${url} names ${String(issuer)} as the place to sign in, which is not protected by TLS as the platform is.`,
  });
}

function isAsSafe(issuer: string, platform: string): boolean {
  const [target, origin] = [URL.parse(issuer), URL.parse(platform)];
  if (target?.protocol === 'https:') return true;
  return target?.protocol === 'http:' && (origin?.protocol === 'http:' || loopback.has(target.hostname));
}
