/**
 * A part of a line. A link leads to a web page or a mail address, nowhere else. A relative address means something only
 * where the text comes from a folder of files.
 */
export type Span =
  | RelativeSpan
  | { readonly type: 'text' | 'code' | 'strong' | 'emphasis' | 'struck'; readonly text: string }
  | { readonly type: 'link'; readonly text: string; readonly href: string };

export interface RelativeSpan {
  readonly type: 'relative';
  readonly text: string;
  readonly address: string;
  readonly isPicture: boolean;
  /** As it was written. */
  readonly whole: string;
}

/** The address of a link, perhaps with a title, which is not shown. */
const addressAs = (group: string): string => String.raw`\((?<${group}>[^()\s]{1,2000})(?: +"[^"]{0,500}")?\)`;
const BACKTICK = '`';
/** Each alternative ends at the first closing sign, so that it takes linear time. */
const SPAN = new RegExp(
  [
    String.raw`\\(?<escaped>[!-/:-@[-${BACKTICK}{-~])`,
    '``(?<code2>[^`]{1,1000}(?:`[^`]{1,1000}){0,20})``',
    '`(?<code>[^`]{1,1000})`',
    String.raw`\*\*(?<strong>[^*]{1,1000})\*\*`,
    String.raw`(?<!\w)__(?<strong2>[^_]{1,1000})__(?!\w)`,
    String.raw`\*(?<emphasis>[^*\s][^*]{0,1000})\*`,
    String.raw`(?<!\w)_(?<emphasis2>[^_\s][^_]{0,1000})_(?!\w)`,
    String.raw`~~(?<struck>[^~]{1,1000})~~`,
    // A picture with a link around it, such as a badge: its label leads to the address of the link.
    String.raw`\[!\[(?<badge>[^\][]{0,500})\]\([^()\s]{1,2000}\)\]${addressAs('badgeAddress')}`,
    String.raw`!?\[(?<label>[^\][]{0,500})\]${addressAs('address')}`,
    String.raw`<(?<auto>https?://[^<>\s]{1,2000})>`,
    String.raw`(?<![\w/])(?<bare>https?://[^\s<>()"'${BACKTICK}*\][]{1,2000}[^\s<>()"'${BACKTICK}*\][.,;:!?])`,
  ].join('|'),
  'g',
);

export function spansOf(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(SPAN)) {
    if (match.index > end) spans.push({ type: 'text', text: text.slice(end, match.index) });
    end = match.index + match[0].length;
    spans.push(spanOf(match[0], match.groups ?? {}));
  }
  if (end < text.length) spans.push({ type: 'text', text: text.slice(end) });
  return spans;
}

function spanOf(whole: string, found: Readonly<Record<string, string | undefined>>): Span {
  const code = found['code'] ?? found['code2'];
  const strong = found['strong'] ?? found['strong2'];
  const emphasis = found['emphasis'] ?? found['emphasis2'];
  const address = found['auto'] ?? found['bare'];
  if (found['escaped'] !== undefined) return { type: 'text', text: found['escaped'] };
  if (code !== undefined) return { type: 'code', text: code };
  if (strong !== undefined) return { type: 'strong', text: strong };
  if (emphasis !== undefined) return { type: 'emphasis', text: emphasis };
  if (found['struck'] !== undefined) return { type: 'struck', text: found['struck'] };
  if (address !== undefined) return linkOf(address, address, whole);
  if (found['badgeAddress'] !== undefined) return linkOf(found['badge'] ?? '', found['badgeAddress'], whole.slice(1));
  return linkOf((found['label'] ?? '').replaceAll('`', ''), found['address'] ?? '', whole);
}

/**
 * A link where the address is a relative one, or one of a web page or of a mail. Otherwise the text as it was written.
 */
function linkOf(label: string, address: string, whole: string): Span {
  const url = URL.parse(address);
  const isOpen = url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol);
  if (isOpen) return { type: 'link', text: label, href: url.href };
  const isRelative = url === null && !/^[\\/]{2}|^[a-z][a-z\d+.-]*:/i.test(address);
  if (!isRelative) return { type: 'text', text: whole };
  return { type: 'relative', text: label, address, isPicture: whole.startsWith('!'), whole };
}
