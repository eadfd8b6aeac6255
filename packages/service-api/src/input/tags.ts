import { limits } from '@kethub/contract/limits';
import { Problem } from '../http/problem.ts';

export const TAGS = '$tags';
/**
 * Bytes of the JSON text of `$tags`; a longer text is refused unparsed. Valid tags need a fifth of it, however escaped.
 */
const MAX_BYTES = 64 * 1024;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Characters from which on a secret is searched for within tags: a shorter one may be part of a tag by chance. */
const SECRET_LENGTH = 6;

/**
 * Reads the tags from the JSON text of `$tags`, each once. Throws invalid-request with the pointer of every invalid
 * tag.
 */
export function checkTags(bytes: Buffer): string[] {
  if (bytes.length > MAX_BYTES) throw invalid([{ index: null, detail: `has more than ${MAX_BYTES} bytes` }]);
  const tags = JSON.parse(bytes.toString()) as unknown;
  if (!Array.isArray(tags)) throw invalid([{ index: null, detail: 'must be a list of texts' }]);
  if (tags.length > limits.tags) throw invalid([{ index: null, detail: `may have at most ${limits.tags} elements` }]);
  const wrong = tags.flatMap((tag: unknown, index) => {
    const detail = whyNoTag(tag);
    return detail === null ? [] : [{ index, detail }];
  });
  if (wrong.length > 0) throw invalid(wrong);
  return [...new Set(tags as string[])];
}

function whyNoTag(tag: unknown): string | null {
  if (typeof tag !== 'string') return 'must be a text';
  if (tag === '') return 'must not be empty';
  // Characters are code points, as in JSON Schema.
  if (tag.length > 2 * limits.tagLength || Array.from(tag).length > limits.tagLength)
    return `may have at most ${limits.tagLength} characters`;
  if (CONTROL.test(tag)) return 'must not hold control characters';
  return tag.isWellFormed() ? null : 'must not hold half of a surrogate pair';
}

function invalid(wrong: readonly { readonly index: number | null; readonly detail: string }[]): Problem {
  const errors = wrong.map(({ index, detail }) => ({
    pointer: index === null ? `/${TAGS}` : `/${TAGS}/${index}`,
    detail,
  }));
  const sentences = errors.map(({ pointer, detail }) => `\`${pointer.slice(1)}\` ${detail}.`);
  return new Problem('invalid-request', sentences.join(' '), { errors });
}

/** Throws invalid-secrets for tags that hold a secret of the same input: tags are stored and shown as they are. */
export function requireNoSecretIn(tags: readonly string[], secrets: Readonly<Record<string, string>> | null): void {
  const values = Object.values(secrets ?? {});
  const containsSecret = (tag: string): boolean =>
    values.some((value) => value === tag || (value.length >= SECRET_LENGTH && tag.includes(value)));
  const wrong = tags.flatMap((tag, index) => (containsSecret(tag) ? [index] : []));
  if (wrong.length === 0) return;
  throw new Problem(
    'invalid-secrets',
    'A tag holds the value of a secret, and tags are shown in clear. Nothing was stored. Leave the secret out of `$tags`.',
    { errors: wrong.map((index) => ({ pointer: `/${TAGS}/${index}`, detail: 'holds the value of a secret' })) },
  );
}

/** Parses the column `tags`. */
export function tagsIn(column: string | null): string[] {
  return column === null ? [] : (JSON.parse(column) as string[]);
}
