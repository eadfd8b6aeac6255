const sentences = new Map<string, string>();

/**
 * A regular expression of a schema, with the sentence that callers read in its place: "must be a date such as
 * 2026-01-31". Returns the expression.
 */
export function worded(pattern: string, sentence: string): string {
  sentences.set(pattern, sentence);
  return pattern;
}

/** The sentence of a regular expression; undefined for one that is not the platform's own, such as that of a Request Schema. */
export function sentenceOfPattern(pattern: string): string | undefined {
  return sentences.get(pattern);
}

/** The expression of a text with at least one visible character. */
export const NOT_BLANK = worded(String.raw`\S`, 'must not be blank');
/** The expression of a text without the character U+0000, which no database stores. */
export const WITHOUT_NUL = worded(String.raw`^[^\u0000]+$`, 'must be a text without the character U+0000');
