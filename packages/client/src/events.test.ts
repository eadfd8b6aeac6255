import { expect, test } from 'vitest';
import { EventParser } from './events.ts';

function parse(...pieces: string[]) {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece)).map(({ event, data, id }) => [event, data, id]);
}

test.each([
  ['one event', ['id: 1\ndata: a\n\n'], [['message', 'a', '1']]],
  ['a named event without data, such as an end', ['event: end\n\n'], [['end', '', undefined]]],
  ['several data lines', ['data: a\ndata\ndata:  b\n\n'], [['message', 'a\n\n b', undefined]]],
  ['a comment', [': still running\n\ndata: a\n\n'], [['message', 'a', undefined]]],
  [
    'an id that stays',
    ['id: 1\ndata: a\n\ndata: b\n\n'],
    [
      ['message', 'a', '1'],
      ['message', 'b', '1'],
    ],
  ],
  ['an id with a null character, which does not count', ['id: 1\0\ndata: a\n\n'], [['message', 'a', undefined]]],
  [
    'all three line ends',
    ['data: a\r\rdata: b\r\n\r\ndata: c\n\n'],
    [
      ['message', 'a', undefined],
      ['message', 'b', undefined],
      ['message', 'c', undefined],
    ],
  ],
  ['pieces that part a line end', ['data: a\r', '\ndata: b\r', '\n\r', '\n'], [['message', 'a\nb', undefined]]],
  ['a byte order mark', ['\u{FEFF}data: a\n\n'], [['message', 'a', undefined]]],
  ['an end without an empty line, which is dropped', ['data: a\n\ndata: b\n'], [['message', 'a', undefined]]],
])('%s', (_name, pieces, events) => {
  expect(parse(...pieces)).toEqual(events);
  expect(parse(...Array.from(pieces.join('')))).toEqual(events);
});
