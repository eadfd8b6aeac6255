export type QasmToken = 'comment' | 'keyword' | 'number' | 'text' | 'plain';

/** Characters that are coloured; what follows is plain. */
const MOST = 50_000;
const KEYWORDS =
  'OPENQASM|include|qreg|creg|qubit|bit|int|uint|float|angle|bool|const|let|gate|opaque|def|barrier|measure|reset|if|else|for|while|in|return|input|output|pi|tau|ctrl|negctrl|inv|pow|delay|stretch|duration|box|extern|pragma';
const TOKEN = new RegExp(
  String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?\*/)|(?<text>"[^"\n]*")|\b(?<keyword>${KEYWORDS})\b|(?<number>\b\d[\d.]*(?:e[+-]?\d+)?\b)`,
  'g',
);

export function isQasm(text: string): boolean {
  return /^(?:\s|\/\/[^\n]*\n)*OPENQASM\s+[23]/.test(text.slice(0, 2_000));
}

/** The parts of an OpenQASM program, in order, each with its kind. Together they are the whole text. */
export function qasmTokens(text: string): readonly (readonly [kind: QasmToken, text: string])[] {
  const tokens: [QasmToken, string][] = [];
  const head = text.slice(0, MOST);
  let end = 0;
  for (const match of head.matchAll(TOKEN)) {
    if (match.index > end) tokens.push(['plain', head.slice(end, match.index)]);
    end = match.index + match[0].length;
    const kind = (['comment', 'text', 'keyword', 'number'] as const).find((one) => match.groups?.[one] !== undefined);
    tokens.push([kind ?? 'plain', match[0]]);
  }
  if (end < text.length) tokens.push(['plain', text.slice(end)]);
  return tokens;
}
