import type { CallSite } from '../evaluate/call-site.ts';
import { invoke } from '../evaluate/invoke.ts';
import { equal } from '../values/equality.ts';
import type { FeelFunction, FeelNumber, Value } from '../values/value.ts';
import { isList, kindOf } from '../values/kind.ts';
import { truncate } from '../values/number.ts';
import { Builtin, signature } from './builtin.ts';
import { ValueSet } from './value-set.ts';

type List = readonly Value[];

/** The index of a position counted from 1, or from -1 at the end; null outside of the list. */
function indexOf(list: List, position: FeelNumber): number | null {
  const whole = truncate(position);
  const index = whole > 0 ? whole - 1 : list.length + whole;
  return whole !== 0 && index >= 0 && index < list.length ? index : null;
}

function outside(call: CallSite, position: FeelNumber): null {
  return call.fail(`there is no position ${truncate(position)} in the list.`);
}

function sublist(call: CallSite, list: List, position: FeelNumber, length?: FeelNumber): Value {
  const from = indexOf(list, position);
  const count = length === undefined ? list.length : truncate(length);
  if (from === null || count < 0) return list.length === 0 ? [] : outside(call, position);
  call.meter.list(Math.min(count, list.length - from));
  return list.slice(from, from + count);
}

function insertBefore(call: CallSite, list: List, position: FeelNumber, newItem: Value): Value {
  const index = truncate(position) === list.length + 1 ? list.length : indexOf(list, position);
  if (index === null) return outside(call, position);
  call.meter.list(list.length + 1);
  return [...list.slice(0, index), newItem, ...list.slice(index)];
}

function remove(call: CallSite, list: List, position: FeelNumber): Value {
  const index = indexOf(list, position);
  if (index === null) return outside(call, position);
  call.meter.list(list.length);
  return [...list.slice(0, index), ...list.slice(index + 1)];
}

function replaceAt(call: CallSite, list: List, position: FeelNumber, newItem: Value): Value {
  const index = indexOf(list, position);
  if (index === null) return outside(call, position);
  call.meter.list(list.length);
  return list.with(index, newItem);
}

function replaceWhere(call: CallSite, list: List, match: FeelFunction, newItem: Value): Value {
  if (match.parameters.length !== 2) return call.fail('the function needs two parameters: item and newItem.');
  const results: Value[] = [];
  for (const item of list) {
    const found = invoke(match, [item, newItem], null, call);
    if (typeof found !== 'boolean') return call.fail('the function must say true or false.');
    results.push(found ? newItem : item);
  }
  call.meter.list(results.length);
  return results;
}

function concatenate(call: CallSite, lists: List): Value {
  const all: Value[] = [];
  for (const list of lists) {
    if (list === null) return call.fail('expects lists, got null.');
    const items = isList(list) ? list : [list];
    call.meter.limitList(all.length + items.length);
    call.meter.list(items.length);
    for (const item of items) all.push(item);
  }
  return all;
}

function union(call: CallSite, lists: List): Value {
  const all = concatenate(call, lists);
  return isList(all) ? distinct(call, all) : all;
}

function distinct(call: CallSite, list: List): Value {
  const seen = new ValueSet(call.meter);
  return list.filter((item) => seen.add(item));
}

function duplicates(call: CallSite, list: List): Value {
  const seen = new ValueSet(call.meter);
  const reported = new ValueSet(call.meter);
  const again = new ValueSet(call.meter);
  for (const item of list) if (!seen.add(item)) again.add(item);
  return list.filter((item) => again.has(item) && reported.add(item));
}

function positions(call: CallSite, list: List, match: Value): Value {
  call.meter.look(list.length);
  const found: number[] = [];
  for (const [index, item] of list.entries()) {
    if (equal(item, match, call.meter) !== true) continue;
    call.meter.list(1);
    found.push(index + 1);
  }
  return found;
}

function flatten(call: CallSite, list: List): Value {
  const flat: Value[] = [];
  const waiting: { list: List; next: number }[] = [{ list, next: 0 }];
  for (let top = waiting.at(-1); top; top = waiting.at(-1)) {
    call.spend(1);
    const item = top.list[top.next++];
    if (item === undefined) waiting.pop();
    else if (isList(item)) waiting.push({ list: item, next: 0 });
    else {
      call.meter.limitList(flat.length + 1);
      flat.push(item);
    }
  }
  return flat;
}

function partition(call: CallSite, list: List, size: FeelNumber): Value {
  const length = truncate(size);
  if (length <= 0) return call.fail('the size must be positive.');
  call.meter.list(list.length);
  const parts: Value[] = [];
  for (let from = 0; from < list.length; from += length) parts.push(list.slice(from, from + length));
  return parts;
}

/** A merge sort: whatever the function says, it is called at most n log n times, and equal items keep their order. */
function sort(call: CallSite, list: List, precedes: FeelFunction): Value {
  const parameters = precedes.parameters.length;
  if (parameters !== 2) return call.fail('the function needs two parameters.');
  call.meter.list(list.length);
  let failed = false;
  const sorted = mergeSort(list, (right, left) => {
    const result = invoke(precedes, [right, left], null, call);
    failed ||= typeof result !== 'boolean';
    return result === true;
  });
  return failed ? call.fail('the function must say true or false.') : sorted;
}

function mergeSort(list: List, comesFirst: (right: Value, left: Value) => boolean): Value[] {
  if (list.length < 2) return [...list];
  const middle = Math.floor(list.length / 2);
  const left = mergeSort(list.slice(0, middle), comesFirst);
  const right = mergeSort(list.slice(middle), comesFirst);
  const merged: Value[] = [];
  let at = 0;
  for (const item of right) {
    while (at < left.length && !comesFirst(item, left[at] ?? null)) merged.push(left[at++] ?? null);
    merged.push(item);
  }
  for (; at < left.length; at++) merged.push(left[at] ?? null);
  return merged;
}

function join(call: CallSite, list: List, delimiter = '', prefix = '', suffix = ''): Value {
  const texts: string[] = [];
  let length = prefix.length + suffix.length;
  for (const item of list) {
    if (item === null) continue;
    if (typeof item !== 'string') return call.fail(`expects texts, got ${kindOf(item)}.`);
    texts.push(item);
    length += item.length + delimiter.length;
  }
  call.meter.text(length);
  call.spend(texts.length);
  return prefix + texts.join(delimiter) + suffix;
}

function contains(call: CallSite, list: List, element: Value): Value {
  call.meter.look(list.length);
  return list.some((item) => equal(item, element, call.meter) === true);
}

const oneList = (run: (call: CallSite, list: List) => Value): Builtin => new Builtin([signature(['list: list'], run)]);

export const lists: readonly (readonly [string, Builtin])[] = [
  ['list contains', new Builtin([signature(['list: list', 'element: any'], contains)])],
  [
    'list replace',
    new Builtin([
      signature(['list: list', 'position: number', 'newItem: any'], replaceAt),
      signature(['list: list', 'match: function', 'newItem: any'], replaceWhere),
    ]),
  ],
  ['count', oneList((_call, list) => list.length)],
  ['is empty', oneList((_call, list) => list.length === 0)],
  [
    'sublist',
    new Builtin([
      signature(['list: list', 'start position: number', 'length: number?'], sublist),
      signature(['list: list', 'start: number', 'length: number?'], sublist),
    ]),
  ],
  [
    'append',
    new Builtin([
      signature(['list: list', '...items: list'], (call, list, items) => concatenate(call, [list, items])),
      signature(['list: list', '...item: list'], (call, list, items) => concatenate(call, [list, items])),
      signature(['list: list'], (_call, list) => list),
    ]),
  ],
  ['concatenate', new Builtin([signature(['...lists: list'], concatenate), signature(['...list: list'], concatenate)])],
  ['insert before', new Builtin([signature(['list: list', 'position: number', 'newItem: any'], insertBefore)])],
  ['remove', new Builtin([signature(['list: list', 'position: number'], remove)])],
  ['reverse', oneList((call, list) => (call.meter.list(list.length), list.toReversed()))],
  ['index of', new Builtin([signature(['list: list', 'match: any'], positions)])],
  ['union', new Builtin([signature(['...lists: list'], union), signature(['...list: list'], union)])],
  ['distinct values', oneList(distinct)],
  ['duplicate values', oneList(duplicates)],
  ['flatten', oneList(flatten)],
  ['partition', new Builtin([signature(['list: list', 'size: number'], partition)])],
  [
    'sort',
    new Builtin([
      signature(['list: list', 'precedes: function'], sort),
      signature(['list: list', 'function: function'], sort),
    ]),
  ],
  [
    'string join',
    new Builtin([
      signature(['list: list'], (call, list) => join(call, list)),
      signature(['list: list', 'delimiter: string or null'], (call, list, delimiter) =>
        join(call, list, delimiter ?? ''),
      ),
      signature(
        ['list: list', 'delimiter: string or null', 'prefix: string or null', 'suffix: string or null'],
        (call, list, delimiter, prefix, suffix) => join(call, list, delimiter ?? '', prefix ?? '', suffix ?? ''),
      ),
    ]),
  ],
];
