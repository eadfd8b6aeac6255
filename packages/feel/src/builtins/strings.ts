import { unitsPerStep } from '../cost.ts';
import type { CallSite } from '../evaluate/call-site.ts';
import { truncate } from '../values/number.ts';
import type { FeelNumber, Value } from '../values/value.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { Builtin, signature } from './builtin.ts';
import { extract, matches, replace, split } from './regular-expressions.ts';

// Lengths and positions count code points (DMN 1.5, 10.3.4.3), not the UTF-16 units of JavaScript.

function substring(call: CallSite, string: string, start: FeelNumber, length?: FeelNumber): Value {
  call.meter.scan(string.length, unitsPerStep.counted);
  const characters = lengthOf(string);
  const position = truncate(start);
  const count = length === undefined ? characters : truncate(length);
  const from = position > 0 ? position - 1 : characters + position;
  if (position === 0 || count < 0 || from < 0 || from > characters)
    return call.fail('the position is outside of the text.');
  if (characters === string.length) return string.slice(from, from + count);
  const begin = unitsOf(string, 0, from);
  return string.slice(begin, unitsOf(string, begin, Math.min(count, characters - from)));
}

/** In code points. */
function lengthOf(string: string): number {
  let length = string.length;
  for (let at = 0; at < string.length - 1; at++) if (isPair(string, at)) length -= 1;
  return length;
}

/** The position in UTF-16 units that is `count` code points after another. */
function unitsOf(string: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < string.length; left--) at += isPair(string, at) ? 2 : 1;
  return at;
}

function isPair(string: string, at: number): boolean {
  return (string.charCodeAt(at) & 0xfc00) === 0xd800 && (string.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** Searching costs as much as the text is long. */
function searched(run: (string: string, match: string) => Value): Builtin {
  return new Builtin([
    signature(['string: string', 'match: string'], (call, string, match) => {
      call.meter.scan(string.length, match.length > 100 ? unitsPerStep.foundLong : unitsPerStep.found);
      return run(string, match);
    }),
  ]);
}

function changed(perStep: number, run: (string: string) => string): Builtin {
  return new Builtin([
    signature(['string: string'], (call, string) => {
      call.meter.scan(string.length, perStep);
      const result = run(string);
      call.meter.limitText(result.length);
      return result;
    }),
  ]);
}

function encode(call: CallSite, value: string): string {
  call.meter.text(Math.ceil(value.length * 4));
  return toBase64(value);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decode(call: CallSite, value: string): Value {
  call.meter.scan(value.length, unitsPerStep.decoded);
  if (!BASE64.test(value)) return call.fail('the text is not Base64.');
  return fromBase64(value);
}

function uuid(call: CallSite): Value {
  return call.run.options.uuid?.() ?? call.fail('there is no source of random values here.');
}

/** Without leading and trailing characters up to U+0020, as `java.lang.String.trim`. */
function trim(string: string): string {
  let from = 0;
  let to = string.length;
  while (from < to && string.charCodeAt(from) <= 0x20) from++;
  while (to > from && string.charCodeAt(to - 1) <= 0x20) to--;
  return string.slice(from, to);
}

export const strings: readonly (readonly [string, Builtin])[] = [
  ['substring', new Builtin([signature(['string: string', 'start position: number', 'length: number?'], substring)])],
  [
    'string length',
    new Builtin([
      signature(['string: string'], (call, string) => {
        call.meter.scan(string.length, unitsPerStep.counted);
        return lengthOf(string);
      }),
    ]),
  ],
  ['upper case', changed(unitsPerStep.cased, (string) => string.toUpperCase())],
  ['lower case', changed(unitsPerStep.cased, (string) => string.toLowerCase())],
  ['trim', changed(unitsPerStep.trimmed, trim)],
  [
    'is blank',
    new Builtin([
      signature(['string: string'], (call, string) => {
        call.meter.text(string.length);
        return string.trim() === '';
      }),
    ]),
  ],
  [
    'substring before',
    searched((string, match) => {
      const at = string.indexOf(match);
      return at === -1 ? '' : string.slice(0, at);
    }),
  ],
  [
    'substring after',
    searched((string, match) => {
      const at = string.indexOf(match);
      return at === -1 ? '' : string.slice(at + match.length);
    }),
  ],
  ['contains', searched((string, match) => string.includes(match))],
  ['starts with', searched((string, match) => string.startsWith(match))],
  ['ends with', searched((string, match) => string.endsWith(match))],
  [
    'matches',
    new Builtin([
      signature(['input: string', 'pattern: string'], matches),
      signature(['input: string', 'pattern: string', 'flags: string or null'], matches),
    ]),
  ],
  [
    'replace',
    new Builtin([
      signature(['input: string', 'pattern: string', 'replacement: string'], replace),
      signature(['input: string', 'pattern: string', 'replacement: string', 'flags: string or null'], replace),
    ]),
  ],
  ['split', new Builtin([signature(['string: string', 'delimiter: string'], split)])],
  [
    'extract',
    new Builtin([
      signature(['string: string', 'pattern: string'], extract),
      signature(['input: string', 'pattern: string'], extract),
    ]),
  ],
  ['to base64', new Builtin([signature(['value: string'], encode)])],
  ['from base64', new Builtin([signature(['value: string'], decode)])],
  ['uuid', new Builtin([signature([], uuid)])],
];
