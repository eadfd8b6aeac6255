// A dark card that fits white and dark pages alike: it has its own background and a border.
const FONT = "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const [SIZE, LEADING, CELL] = [13, 20, 7.83];
const [PADDING, BAR] = [22, 40];
const [GROUND, BAR_GROUND, EDGE, TEXT, BRIGHT, DIM] = [
  '#0d1117',
  '#161b22',
  '#3d444d',
  '#d1d7e0',
  '#ffffff',
  '#8b949e',
];
const COLOURS = ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#ffffff'];
const DOTS = ['#ff5f57', '#febc2e', '#28c840'];

/** A picture (SVG) of terminal lines with their colours. Long lines are cut off. */
export function terminalPicture(title: string, lines: readonly string[], columns: number): string {
  const width = Math.round(columns * CELL + 2 * PADDING);
  const height = BAR + PADDING + lines.length * LEADING + PADDING - 6;
  const rows = lines.map((line, row) => rowOf(cut(spansOf(line), columns), BAR + PADDING + row * LEADING + SIZE - 2));
  const dots = DOTS.map((fill, index) => `<circle cx="${24 + index * 20}" cy="${BAR / 2}" r="6" fill="${fill}"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${GROUND}"/>
<path d="M0.5 ${BAR}V10.5a10 10 0 0 1 10-10H${width - 10.5}a10 10 0 0 1 10 10V${BAR}z" fill="${BAR_GROUND}"/>
<path d="M0.5 ${BAR}H${width - 0.5}" stroke="${EDGE}"/>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="none" stroke="${EDGE}"/>
${dots.join('')}
<g font-family="${FONT}" font-size="${SIZE}" fill="${TEXT}">
<text x="${width / 2}" y="${BAR / 2 + 4}" text-anchor="middle" fill="${DIM}">${escaped(title)}</text>
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`;
}

/** One `text` per group of words, placed by its column, so that columns stay straight in every font. */
function rowOf(spans: readonly Span[], y: number): string {
  let column = 0;
  const parts: string[] = [];
  for (const { text, ...look } of spans) {
    for (const group of text.matchAll(/\S+(?: \S+)*/g)) {
      const x = (PADDING + (column + group.index) * CELL).toFixed(1);
      const length = (group[0].length * CELL).toFixed(1);
      parts.push(
        `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${lookOf(look)}>${escaped(group[0])}</text>`,
      );
    }
    column += text.length;
  }
  return parts.join('');
}

function lookOf({ bold, dim, colour }: Omit<Span, 'text'>): string {
  const fill = colour === null ? (dim ? DIM : bold ? BRIGHT : null) : COLOURS[colour];
  return (fill ? ` fill="${fill}"` : '') + (bold ? ' font-weight="600"' : '');
}

function cut(spans: readonly Span[], columns: number): Span[] {
  let left = columns;
  const kept: Span[] = [];
  for (const span of spans) {
    if (span.text.length > left) return [...kept, { ...span, text: `${span.text.slice(0, left - 1)}…` }];
    left -= span.text.length;
    kept.push(span);
  }
  return kept;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

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
