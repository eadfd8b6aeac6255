import { BuildError } from './problem.ts';

/** A package that a project demands. */
export interface Requirement {
  /** The normalized name (PEP 503). */
  name: string;
  /** The demand in one fixed form, so that equal demands are equal texts. */
  text: string;
  /** Line number in requirements.txt; 0 for a package that the platform adds. */
  line: number;
}

const MAX_BYTES = 64 * 1024;
const MAX_LINES = 500;

// PEP 508 names and extras, PEP 440 specifiers, and the words of markers.
const NAME = String.raw`[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`;
const VERSION = String.raw`(?:~=|===?|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+`;
const REQUIREMENT = new RegExp(
  String.raw`^(?<name>${NAME})\s*(?:\[\s*(?<extras>${NAME}(?:\s*,\s*${NAME})*)?\s*\])?\s*` +
    String.raw`(?:\(\s*(?<inside>${VERSION}(?:\s*,\s*${VERSION})*)\s*\)|(?<versions>${VERSION}(?:\s*,\s*${VERSION})*))?\s*(?:;\s*(?<marker>.+))?$`,
);
const VARIABLES =
  'python_version|python_full_version|os_name|sys_platform|platform_release|platform_system|platform_version|platform_machine|' +
  'platform_python_implementation|implementation_name|implementation_version|extra';
const MARKER_WORD = new RegExp(
  String.raw`^(?:${VARIABLES}|and|or|not|in|~=|===?|!=|<=|>=|<|>|\(|\)|"[^"\\]*"|'[^'\\]*')$`,
);
const MARKER_SPLIT = /"[^"]*"|'[^']*'|~=|===?|!=|<=|>=|<|>|[()]|[^\s()<>=!~"']+|\S/g;

const OPTIONS: Record<string, string> = {
  '-r': 'Write the lines of the other file into this one',
  '--requirement': 'Write the lines of the other file into this one',
  '-c': 'Write the versions into this file, for example `numpy==1.26.4`',
  '--constraint': 'Write the versions into this file, for example `numpy==1.26.4`',
  '-e': 'Put the code of the package into src, or publish it to the package index',
  '--editable': 'Put the code of the package into src, or publish it to the package index',
  '-i': 'The package index is set by the operator of the platform',
  '--index-url': 'The package index is set by the operator of the platform',
  '--extra-index-url': 'The package index is set by the operator of the platform',
  '--find-links': 'The package index is set by the operator of the platform',
  '-f': 'The package index is set by the operator of the platform',
};

/**
 * Reads a requirements.txt: names with extras, versions and markers (PEP 508), comments, continued lines. It refuses
 * everything by which a line could fetch code from elsewhere than the index. The result is sorted by text.
 * @throws BuildError with the line number and the remedy.
 */
export function readRequirements(source: string): Requirement[] {
  if (Buffer.byteLength(source) > MAX_BYTES)
    throw new BuildError('requirements-invalid', `requirements.txt is larger than ${MAX_BYTES / 1024} KiB.`);
  const requirements = new Map<string, Requirement>();
  const unconditional = new Map<string, Requirement>();
  for (const { number, text } of logicalLines(source)) {
    const { name, line, marker } = readLine(number, text);
    const requirement = { name, text: line, line: number };
    const before = unconditional.get(name);
    if (before !== undefined && before.text !== line && marker === '') {
      refuse(number, text, `\`${name}\` is already demanded in line ${before.line}. Keep one of the two lines.`);
    }
    if (marker === '') unconditional.set(name, requirement);
    if (!requirements.has(line)) requirements.set(line, requirement);
  }
  if (requirements.size > MAX_LINES)
    throw new BuildError('requirements-invalid', `requirements.txt has more than ${MAX_LINES} packages.`);
  return [...requirements.values()].toSorted((a, b) => (a.text < b.text ? -1 : 1));
}

function refuse(number: number, text: string, remedy: string): never {
  const shown = text.length > 120 ? `${text.slice(0, 117)}...` : text;
  throw new BuildError('requirements-invalid', `requirements.txt, line ${number}: \`${shown}\`: ${remedy}`);
}

/** Joins lines that end with a backslash and drops comments, as pip does: `#` at the start or after a blank. */
function* logicalLines(source: string): Generator<{ number: number; text: string }> {
  const physical = source.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  let joined = '';
  let start = 0;
  for (const [index, line] of physical.entries()) {
    if (joined === '') start = index + 1;
    const isComment = /^\s*#/.test(line);
    if (line.endsWith('\\') && !isComment) {
      joined += line.slice(0, -1);
      continue;
    }
    const text = (joined + (isComment ? '' : line)).replace(/(^|\s)#.*$/, '').trim();
    joined = '';
    if (text !== '') yield { number: start, text };
  }
  if (joined.trim() !== '') yield { number: start, text: joined.trim() };
}

function readLine(number: number, text: string): { name: string; line: string; marker: string } {
  if (/[\p{Cc}\uFFFD]/u.test(text.replaceAll('\t', ' ')))
    refuse(number, JSON.stringify(text), 'the file must be plain UTF-8 text. Save it again as UTF-8.');
  // pip would insert the platform's value of the variable, which may contain the operator's credentials.
  if (text.includes('$'))
    refuse(
      number,
      text,
      'a `$` is not allowed: values are not taken from the environment. Write the name and the version.',
    );
  refuseElsewhere(number, text);
  const groups = REQUIREMENT.exec(text)?.groups;
  if (groups?.['name'] === undefined)
    refuse(
      number,
      text,
      'this is not a requirement. Write a name and versions, for example `numpy==1.26.4` or `scipy>=1.11,<2`.',
    );
  const name = groups['name'].toLowerCase().replaceAll(/[-_.]+/g, '-');
  const extras = (groups['extras'] ?? '')
    .split(',')
    .map((extra) =>
      extra
        .trim()
        .toLowerCase()
        .replaceAll(/[-_.]+/g, '-'),
    )
    .filter((extra) => extra !== '')
    .toSorted();
  const versions = (groups['versions'] ?? groups['inside'] ?? '')
    .split(',')
    .map((one) => one.replaceAll(/\s+/g, ''))
    .filter((one) => one !== '')
    .toSorted();
  const marker = readMarker(number, text, groups['marker'] ?? '');
  const demanded = `${name}${extras.length > 0 ? `[${extras.join(',')}]` : ''}${versions.join(',')}`;
  return { name, marker, line: marker === '' ? demanded : `${demanded}; ${marker}` };
}

function refuseElsewhere(number: number, text: string): void {
  const option = /^(-\w|--[\w-]+)/.exec(text)?.[1];
  if (option !== undefined) {
    refuse(number, text, `options are not allowed here. ${OPTIONS[option] ?? 'Keep package names and versions only'}.`);
  }
  if (/\s--[\w-]+/.test(text))
    refuse(number, text, 'options such as --hash are not allowed here. Keep the name and the version.');
  if (/^[^;"']*@/.test(text))
    refuse(number, text, 'packages come from the package index only, not from an address. Write a name and a version.');
  if (
    /^[A-Za-z][\w+.-]*:\/\//.test(text) ||
    /^[./~]/.test(text) ||
    /^[\w.-]+[/\\]/.test(text) ||
    /\.(whl|tar\.gz|zip)(\s|$|;)/.test(text)
  ) {
    refuse(
      number,
      text,
      'packages come from the package index only, not from an address or a file. Write a name and a version.',
    );
  }
}

function readMarker(number: number, text: string, marker: string): string {
  if (marker === '') return '';
  const words: string[] = marker.match(MARKER_SPLIT) ?? [];
  const wrong = words.find((word) => !MARKER_WORD.test(word));
  if (wrong !== undefined)
    refuse(number, text, `\`${wrong}\` is not part of an environment marker. Example: \`; python_version < "3.12"\`.`);
  return words
    .map((word) => (word.startsWith("'") && !word.includes('"') ? `"${word.slice(1, -1)}"` : word))
    .join(' ')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')');
}

/** The normalized name of a package (PEP 503). */
export function normalName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}
