/** Ends of lines in a text. A field of a browser knows only `\n`. */
export type LineEnds = 'LF' | 'CRLF' | 'MIXED';

export function lineEndsOf(text: string): LineEnds {
  const without = text.replaceAll('\r\n', '');
  if (without.includes('\r')) return 'MIXED';
  if (without === text || without.length === text.length) return 'LF';
  return without.includes('\n') ? 'MIXED' : 'CRLF';
}

/** The text of a field with the ends of lines that the file has had. */
export function withLineEnds(text: string, ends: LineEnds): string {
  const plain = text.replaceAll('\r\n', '\n');
  return ends === 'CRLF' ? plain.replaceAll('\n', '\r\n') : plain;
}
