export type TokenKind = 'comment' | 'keyword' | 'number' | 'text' | 'plain';
export type Token = readonly [kind: TokenKind, text: string];

/** Signs and words of a language. Every pattern takes linear time: it ends at the end of the text where nothing closes it. */
interface Language {
  readonly comment: string;
  readonly text: string;
  readonly keywords: string;
}

const SLASHES = String.raw`//[^\n]*|/\*[\s\S]*?(?:\*/|$)`;
const HASH = String.raw`#[^\n]*`;
const DASHES = String.raw`--[^\n]*`;
const QUOTES = String.raw`"(?:\\[^\n]|[^"\\\n])*"?|'(?:\\[^\n]|[^'\\\n])*'?`;
const DOUBLE = String.raw`"(?:\\[^\n]|[^"\\\n])*"?`;
const TRIPLE = String.raw`"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|`;
const BACKTICKS = '`(?:\\\\[\\s\\S]|[^`\\\\])*`?|';
const NEVER = '(?!)';
const C_WORDS =
  'auto|bool|break|case|catch|char|class|const|constexpr|continue|default|delete|do|double|else|enum|explicit|extern|false|float|for|friend|goto|if|include|inline|int|long|namespace|new|noexcept|nullptr|operator|private|protected|public|return|short|signed|sizeof|static|struct|switch|template|this|throw|true|try|typedef|typename|union|unsigned|using|virtual|void|volatile|while';

const LANGUAGES = {
  qasm: {
    comment: SLASHES,
    text: DOUBLE,
    keywords:
      'OPENQASM|include|qreg|creg|qubit|bit|int|uint|float|angle|bool|const|let|gate|opaque|def|barrier|measure|reset|if|else|for|while|in|return|input|output|pi|tau|ctrl|negctrl|inv|pow|delay|stretch|duration|box|extern|pragma',
  },
  python: {
    comment: HASH,
    text: TRIPLE + QUOTES,
    keywords:
      'False|None|True|and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|self|try|while|with|yield',
  },
  javascript: {
    comment: SLASHES,
    text: BACKTICKS + QUOTES,
    keywords:
      'abstract|as|async|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|from|function|if|implements|import|in|instanceof|interface|let|new|null|of|private|protected|public|readonly|return|static|super|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield',
  },
  c: { comment: SLASHES, text: QUOTES, keywords: C_WORDS },
  java: {
    comment: SLASHES,
    text: QUOTES,
    keywords:
      'abstract|boolean|break|byte|case|catch|char|class|continue|default|do|double|else|enum|extends|false|final|finally|float|for|fun|if|implements|import|instanceof|int|interface|long|new|null|object|package|private|protected|public|record|return|short|static|super|switch|synchronized|this|throw|throws|true|try|val|var|void|volatile|while',
  },
  rust: {
    comment: SLASHES,
    text: DOUBLE,
    keywords:
      'as|async|await|break|const|continue|crate|dyn|else|enum|extern|false|fn|for|if|impl|in|let|loop|match|mod|move|mut|pub|ref|return|self|Self|static|struct|super|trait|true|type|unsafe|use|where|while',
  },
  go: {
    comment: SLASHES,
    text: BACKTICKS + QUOTES,
    keywords:
      'break|case|chan|const|continue|default|defer|else|fallthrough|false|for|func|go|goto|if|import|interface|map|nil|package|range|return|select|struct|switch|true|type|var',
  },
  julia: {
    comment: String.raw`#=[\s\S]*?(?:=#|$)|${HASH}`,
    text: TRIPLE + DOUBLE,
    keywords:
      'abstract|baremodule|begin|break|catch|const|continue|do|else|elseif|end|export|false|finally|for|function|global|if|import|in|isa|let|local|macro|module|mutable|nothing|quote|return|struct|true|try|using|where|while',
  },
  shell: {
    comment: String.raw`(?<![^\s;])#[^\n]*`,
    text: QUOTES,
    keywords: 'case|do|done|elif|else|esac|exit|export|fi|for|function|if|in|local|return|set|then|until|while',
  },
  docker: {
    comment: HASH,
    text: QUOTES,
    keywords:
      'ADD|ARG|AS|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|ONBUILD|RUN|SHELL|STOPSIGNAL|USER|VOLUME|WORKDIR',
  },
  data: { comment: String.raw`(?<!\S)#[^\n]*`, text: TRIPLE + QUOTES, keywords: 'true|false|null|yes|no' },
  json: { comment: NEVER, text: DOUBLE, keywords: 'true|false|null' },
  sql: {
    comment: `${DASHES}|${SLASHES}`,
    text: QUOTES,
    keywords:
      'ALTER|AND|AS|BY|CASE|CREATE|DELETE|DISTINCT|DROP|ELSE|END|EXISTS|FROM|GROUP|HAVING|IN|INDEX|INSERT|INTO|IS|JOIN|LEFT|LIMIT|NOT|NULL|ON|OR|ORDER|PRIMARY|SELECT|SET|TABLE|THEN|UNION|UPDATE|VALUES|WHEN|WHERE|WITH',
  },
  css: {
    comment: String.raw`/\*[\s\S]*?(?:\*/|$)`,
    text: QUOTES,
    keywords: 'important|media|import|supports|keyframes|var',
  },
  markup: {
    comment: String.raw`<!--[\s\S]*?(?:-->|$)`,
    text: String.raw`(?<==)(?:"[^"]*"?|'[^']*'?)`,
    keywords: String.raw`(?<=</?)[\w:.-]+`,
  },
} as const satisfies Readonly<Record<string, Language>>;

export type LanguageName = keyof typeof LANGUAGES;

const BY_ENDING: Readonly<Record<string, LanguageName>> = {
  py: 'python',
  pyi: 'python',
  qasm: 'qasm',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'javascript',
  tsx: 'javascript',
  mts: 'javascript',
  c: 'c',
  h: 'c',
  cc: 'c',
  cpp: 'c',
  cxx: 'c',
  hpp: 'c',
  cu: 'c',
  java: 'java',
  kt: 'java',
  rs: 'rust',
  go: 'go',
  jl: 'julia',
  sh: 'shell',
  bash: 'shell',
  yaml: 'data',
  yml: 'data',
  toml: 'data',
  ini: 'data',
  cfg: 'data',
  json: 'json',
  ipynb: 'json',
  sql: 'sql',
  css: 'css',
  html: 'markup',
  xml: 'markup',
  svg: 'markup',
  bpmn: 'markup',
  dmn: 'markup',
};
const BY_NAME: Readonly<Record<string, LanguageName>> = {
  dockerfile: 'docker',
  containerfile: 'docker',
  makefile: 'shell',
  'requirements.txt': 'data',
};

/** The language of a file by its name; null for one that is shown as it is. */
export function languageOf(path: string): LanguageName | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name] ?? null;
  return Object.hasOwn(BY_ENDING, ending) ? (BY_ENDING[ending] ?? null) : null;
}

/** The language that a block of Markdown names, such as `python` or `py`; null for an unknown one. */
export function languageNamed(name: string): LanguageName | null {
  const known = name.toLowerCase();
  return Object.keys(LANGUAGES).find((one): one is LanguageName => one === known) ?? languageOf(`.${known}`);
}

/** The parts of a text in order, each with its kind; beyond `most` characters it is plain. Together they are the text. */
export function tokensOf(text: string, language: LanguageName, most: number): readonly Token[] {
  const { comment, text: quoted, keywords } = LANGUAGES[language];
  const words = language === 'markup' ? keywords : String.raw`(?<![\w.])(?:${keywords})(?!\w)`;
  const pattern = new RegExp(
    String.raw`(?<comment>${comment})|(?<text>${quoted})|(?<keyword>${words})|(?<number>(?<!\w)\d[\d_.]*(?:e[+-]?\d+)?\w*)`,
    'g',
  );
  const tokens: Token[] = [];
  const head = text.slice(0, most);
  let end = 0;
  for (const match of head.matchAll(pattern)) {
    if (match.index > end) tokens.push(['plain', head.slice(end, match.index)]);
    end = match.index + match[0].length;
    const kind = (['comment', 'text', 'keyword', 'number'] as const).find((one) => match.groups?.[one] !== undefined);
    tokens.push([kind ?? 'plain', match[0]]);
  }
  if (end < text.length) tokens.push(['plain', text.slice(end)]);
  return tokens;
}

/** The tokens of each line. Line ends are left out. */
export function linesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]];
  for (const [kind, text] of tokens)
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push([kind, part]);
    }
  return lines;
}
