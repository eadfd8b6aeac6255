import type { Problem } from '../types.ts';
import { limits } from './limits.ts';

/** The text of a file in the encoding that its byte order mark or its XML declaration names. */
export function decodeXml(bytes: Uint8Array): string | Problem {
  if (bytes.length > limits.xml) return tooLarge(`it has ${bytes.length} bytes, and ${limits.xml} are allowed`);
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const message = `The file is not text in the encoding ${encoding}. Save it as UTF-8.`;
    return { elementId: null, code: 'ENCODING', message, line: firstUnreadable(bytes, encoding) };
  }
}

/** The line of the first bytes that cannot be decoded. */
function firstUnreadable(bytes: Uint8Array, encoding: string): number {
  try {
    const [before = ''] = new TextDecoder(encoding).decode(bytes).split('\uFFFD', 1);
    return before.split('\n').length;
  } catch {
    return 1;
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Without a byte order mark: every second byte of `<?` is zero.
  if (bytes[0] === 0x3c && bytes[1] === 0 && bytes[2] === 0x3f && bytes[3] === 0) return 'utf-16le';
  if (bytes[0] === 0 && bytes[1] === 0x3c && bytes[2] === 0 && bytes[3] === 0x3f) return 'utf-16be';
  const head = String.fromCharCode(...bytes.subarray(0, 200));
  const declared = /^[^<]{0,3}<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(head)?.[1] ?? 'utf-8';
  // A declaration that can be read byte by byte is not written in 16 bits, whatever it says.
  return /^(utf-?16|ucs-?2)/i.test(declared) ? 'utf-8' : declared;
}

const tooLarge = (what: string): Problem => ({
  elementId: null,
  code: 'TOO_LARGE',
  message: `The file is too large: ${what}. Split the workflow, with call activities for its parts.`,
});

/**
 * Refuses a file before it is parsed: for its size, its depth, or a document type declaration. The time of a parser
 * grows with these sizes; document types could define entities, which are never expanded.
 */
export function refuseXml(xml: string): Problem | null {
  if (xml.length > limits.xml) return tooLarge(`it has ${xml.length} characters, and ${limits.xml} are allowed`);
  let elements = 0;
  let depth = 0;
  for (const { kind, from, to } of markup(xml)) {
    if (kind === 'declaration') {
      const message =
        'The file declares a document type (<!DOCTYPE …>), which workflow files have no use for. Remove it.';
      return { elementId: null, code: 'DOCTYPE', message, line: xml.slice(0, from).split('\n').length };
    }
    if (kind === 'closing') depth--;
    if (kind !== 'opening') continue;
    elements++;
    if (xml[to - 1] !== '/') depth++;
    if (elements > limits.xmlElements) return tooLarge(`more than ${limits.xmlElements} XML elements`);
    if (depth > limits.xmlDepth) return tooLarge(`XML elements are nested more than ${limits.xmlDepth} deep`);
  }
  const namespaces = xml.split('xmlns:').length - 1;
  if (namespaces * elements > limits.namespaceLookups)
    return tooLarge(`${namespaces} declarations of namespaces for ${elements} XML elements`);
  return null;
}

const ATTRIBUTE = /(?<=[\s"'])([^\s"'=<>/]+)(\s*)=(\s*)("[^"]*"|'[^']*')/g;
/** The names of attributes in the text of a tag, with their prefixes. */
export const attributeNames = (tag: string): string[] => [...tag.matchAll(ATTRIBUTE)].map(([, name = '']) => name);

const SWITCH =
  /^(?:isExecutable|isForCompensation|isInterrupting|isSequential|cancelActivity|instantiate|triggeredByEvent)$/;

/**
 * The same file, with attributes as the parser knows them. The parser takes `1` for false, which XML Schema knows for
 * true. It does not read spaces and ends of lines around `=`, which are put behind the value.
 */
export function withPlainAttributes(xml: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { kind, from, to } of markup(xml)) {
    if (kind !== 'opening') continue;
    const plain = xml
      .slice(from, to)
      .replaceAll(ATTRIBUTE, (_, name: string, before: string, behind: string, value: string) => {
        const known = SWITCH.test(name) && value.slice(1, -1) === '1' ? '"true"' : value;
        return `${name}=${known}${before}${behind}`;
      });
    parts.push(xml.slice(done, from), plain);
    done = to;
  }
  return parts.join('') + xml.slice(done);
}

interface Markup {
  readonly kind: 'comment' | 'characters' | 'instruction' | 'declaration' | 'opening' | 'closing';
  readonly from: number;
  /** The position of `>` for a tag, and the position after it for anything else. */
  readonly to: number;
}

/** Yields everything between `<` and `>`, in order. */
export function* markup(xml: string): Generator<Markup, void> {
  for (let from = xml.indexOf('<'), to = from; from !== -1; from = xml.indexOf('<', to)) {
    if (xml.startsWith('<!--', from)) yield { kind: 'comment', from, to: (to = after(xml, '-->', from + 4)) };
    else if (xml.startsWith('<![CDATA[', from))
      yield { kind: 'characters', from, to: (to = after(xml, ']]>', from + 9)) };
    else if (xml.startsWith('<?', from)) yield { kind: 'instruction', from, to: (to = after(xml, '?>', from + 2)) };
    else if (xml.startsWith('<!', from)) yield { kind: 'declaration', from, to: (to = from + 2) };
    else if (xml.startsWith('</', from)) yield { kind: 'closing', from, to: (to = from + 2) };
    else yield { kind: 'opening', from, to: (to = endOfTag(xml, from + 1)) };
  }
}

function after(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  return at === -1 ? xml.length : at + mark.length;
}

/** The position of the `>` of a tag; one within quotes does not count. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const character = xml[at];
    if (character === '>') return at;
    if (character === '"' || character === "'") {
      const end = xml.indexOf(character, at + 1);
      if (end === -1) return xml.length;
      at = end;
    }
  }
  return xml.length;
}
