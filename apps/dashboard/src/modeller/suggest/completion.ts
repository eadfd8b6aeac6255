import type { BuiltinCall } from '@kethub/feel';
import type { Member } from './members.ts';
import { memberAt } from './variables.ts';

/** Something that can stand at the caret. */
export interface Suggestion {
  readonly label: string;
  /** Type of a variable, or parameters of a function. */
  readonly detail: string;
  /** Position from which the text up to the caret is replaced. */
  readonly from: number;
  readonly insert: string;
  /** Characters between the end of what is inserted and the caret behind it. */
  readonly back: number;
}

const MOST = 50;
/** Words of the longest names of functions, such as `years and months duration`. */
const MOST_WORDS = 5;

/**
 * Variables, members and functions that begin as the word before the caret. Before a word has begun, only members behind a
 * point are suggested, or, if `isAsked`, all variables.
 */
export function suggestionsAt(
  source: string,
  caret: number,
  variables: readonly Member[],
  functions: readonly BuiltinCall[],
  isAsked: boolean,
): readonly Suggestion[] {
  const before = source.slice(0, caret);
  if (!source.startsWith('=') || caret === 0 || isInText(before)) return [];
  const [word = ''] = /(?:[A-Za-z_]\w*\.)*(?:[A-Za-z_]\w*)?$/.exec(before) ?? [];
  const path = word.split('.');
  const prefix = path.pop() ?? '';
  // The path of a number, such as 1.5, is none.
  if (/[\d.]$/.test(before.slice(0, before.length - word.length))) return [];
  const among = path.length === 0 ? variables : (memberAt(path, variables)?.members ?? []);
  const calls = path.length === 0 ? callsAt(before, functions) : [];
  if (prefix === '' && path.length === 0) {
    const isAll = isAsked || before === '=';
    return [...(isAll ? among.map((member) => ofMember(member, caret)) : []), ...calls].slice(0, MOST);
  }
  const found = among.filter(({ name }) => begins(name, prefix) && name !== prefix);
  return [...found.map((member) => ofMember(member, caret - prefix.length)), ...calls].slice(0, MOST);
}

const begins = (name: string, prefix: string): boolean => name.toLowerCase().startsWith(prefix.toLowerCase());

function ofMember({ name, type }: Member, from: number): Suggestion {
  const insert = /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``;
  return { label: name, detail: type, from, insert, back: 0 };
}

/** Functions whose name begins with the last words before the caret: names of FEEL have spaces in them. */
function callsAt(before: string, functions: readonly BuiltinCall[]): readonly Suggestion[] {
  const words = /(?:[A-Za-z]+ )*[A-Za-z]+ ?$/.exec(before)?.[0].split(' ') ?? [];
  for (let count = Math.min(words.length, MOST_WORDS); count > 0; count--) {
    const prefix = words.slice(-count).join(' ');
    const found = prefix.trim() === '' ? [] : functions.filter(({ name }) => begins(name, prefix));
    if (found.length > 0) return found.map((call) => ofCall(call, before.length - prefix.length));
  }
  return [];
}

function ofCall({ name, parameters }: BuiltinCall, from: number): Suggestion {
  const isBare = parameters.length === 0;
  return { label: `${name}()`, detail: parameters.join(', '), from, insert: `${name}()`, back: isBare ? 0 : 1 };
}

/** Returns whether the end of a text stands within a FEEL text. */
function isInText(before: string): boolean {
  return before.replaceAll(/\\["\\]/g, '').split('"').length % 2 === 0;
}
