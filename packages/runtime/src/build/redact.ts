import { readFile } from 'node:fs/promises';
import { errorCode } from '../errors.ts';

/** Characters. Shorter texts are too common to be redacted; a token of an index is never as short. */
const SHORTEST = 4;
/** Bytes of a `.netrc` that are read. */
const NETRC_BYTES = 64 * 1024;
/** A folder of packages on the operator's machine. */
const FOLDER = /^\/[^/]+\/./;
const ADDRESS = /^[A-Za-z][\w+.-]*:\/\//;

export type Redact = (text: string) => string;

/**
 * Makes a function that removes the operator's addresses and credentials from a text, before the person who uploaded
 * code sees it. It replaces whole addresses, their hosts, users, passwords and paths, and the values of `.netrc`, also
 * as Base64 and percent-encoded.
 * @param settings values of pip's settings and of proxies, which may hold several words each.
 */
export function createRedactor(settings: readonly string[], netrc = ''): Redact {
  const addresses = new Set<string>();
  const secrets = new Set<string>();
  for (const word of settings.flatMap((value) => value.split(/[\s,]+/))) collect(word, addresses, secrets);
  for (const [, name, value] of netrc.matchAll(/\b(machine|login|account|password)\s+(\S+)/g))
    if (value !== undefined) (name === 'machine' ? addresses : secrets).add(value);
  const shown: [string, string][] = [
    ...[...secrets].map((one): [string, string] => [one, '****']),
    ...[...addresses].map((one): [string, string] => [one, '[package index]']),
  ];
  // Longest first, so that an address is replaced before its host.
  const replacements = shown.filter(([text]) => text.length >= SHORTEST).toSorted(([a], [b]) => b.length - a.length);
  return (text) => {
    let redacted = text.replaceAll(/(:\/\/)[^/@\s]+@/g, '$1****@');
    for (const [secret, instead] of replacements)
      redacted = redacted.replaceAll(new RegExp(literal(secret), 'gi'), instead);
    return redacted;
  };
}

/** The content of a `.netrc` for {@link createRedactor}; empty when there is none. */
export async function readNetrc(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).slice(0, NETRC_BYTES);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}

function collect(word: string, addresses: Set<string>, secrets: Set<string>): void {
  if (FOLDER.test(word)) addresses.add(word);
  if (!ADDRESS.test(word) || word.startsWith('file:')) return;
  addresses.add(word);
  let url: URL;
  try {
    url = new URL(word);
  } catch {
    // It is not a valid address, so none of its parts is shown.
    for (const part of word.split(/[/@:?&=]+/).slice(1)) secrets.add(part);
    return;
  }
  addresses.add(url.host).add(url.hostname);
  const path = url.pathname.replace(/\/+$/, '');
  // A token may be in the path. The common end of all index paths reveals nothing.
  if (path !== '' && path !== '/simple' && path !== '/pypi/simple') secrets.add(path);
  for (const segment of path.split('/')) if (segment.length >= 16) secrets.add(segment);
  for (const value of url.searchParams.values()) secrets.add(value);
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (password !== '') secrets.add(user).add(Buffer.from(`${user}:${password}`).toString('base64'));
  // A token alone is written as the user.
  for (const one of [url.username, url.password, user, password])
    if (one.length >= 8 || one === password) secrets.add(one);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
