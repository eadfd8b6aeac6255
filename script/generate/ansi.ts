/** Text of one style, as a terminal shows it. */
export interface Span {
  readonly text: string;
  readonly bold: boolean;
  readonly dim: boolean;
  /** Number of the colour, 0 (black) to 7 (white), or null for the terminal's own. */
  readonly colour: number | null;
}

type Look = Omit<Span, 'text'>;

const PLAIN: Look = { bold: false, dim: false, colour: null };

/** Splits a line into spans by its colour sequences (ECMA-48 SGR). Throws for a sequence it does not know. */
export function spansOf(line: string): Span[] {
  let look = PLAIN;
  const spans: Span[] = [];
  // Splits into text and codes in turn; text comes first.
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  for (const [index, part] of line.split(/\u001B\[([\d;]*)m/).entries()) {
    if (index % 2 === 1) for (const code of part.split(';')) look = changed(look, Number(code));
    else if (part !== '') spans.push({ ...look, text: part });
  }
  return spans;
}

function changed(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code >= 30 && code <= 37) return { ...look, colour: code - 30 };
  if (code === 39) return { ...look, colour: null };
  throw new Error(`The terminal got the look ${code}, which has no place in a picture yet.`);
}
