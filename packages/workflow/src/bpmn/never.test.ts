import { describe, expect, it } from 'vitest';
import { parse } from '../parse.ts';
import { refusals } from '../testing/instance.ts';
import { call, file, message, process, start, timer } from '../testing/xml.ts';

const messages = { go: null };
const around = (...parts: string[]) => file([start('s'), ...parts]);

describe('what would be called or started, and never comes, is refused', () => {
  it.each<[string, string, string[]]>([
    ['a call of a process that the file does not have', around(call('c', 'elsewhere')), ['CALLED_ELEMENT c']],
    [
      'a call of a process that is not executable',
      around(call('c', 'other')).replace('</definitions>', '<process id="other"/></definitions>'),
      ['CALLED_ELEMENT c'],
    ],
    [
      'a call of a process that only a message starts',
      file([start('s'), call('c', 'told')], {
        messages,
        processes: [process('told', [start('ts', message('go'))])],
      }),
      ['CALLED_ELEMENT c'],
    ],
    [
      'a call of a process that is refused, only there',
      file([start('s'), call('c', 'empty')], { processes: [process('empty', [])] }),
      ['START_EVENT empty'],
    ],
    ['a start by a time that is none', file([start('t', timer('date', '="nonsense"'))]), ['TIMER t']],
    ['a start by a variable, which none has yet', file([start('t', timer('cycle', '=x'))]), ['TIMER t']],
    ['a start by null', file([start('t', timer('cycle', '=null'))]), ['TIMER t']],
    [
      'a start by what needs too much',
      file([start('t', timer('cycle', '=for i in 1..1000000 return i'))]),
      ['TIMER t'],
    ],
    ['a start that never comes', file([start('t', timer('cycle', 'R0/PT1H'))]), ['TIMER t']],
  ])('%s', async (_, xml, problems) => expect(await refusals(xml)).toEqual(problems));
});

it('what was accepted once is compiled again, also when it calls or starts what never comes', async () => {
  const xml = file([start('s'), start('t', timer('cycle', '=x')), call('c', 'elsewhere')]);
  expect(await refusals(xml)).toEqual(['CALLED_ELEMENT c', 'TIMER t']);
  expect(await parse(xml, { judged: true })).toHaveProperty('graph');
});

describe('accepted', () => {
  it.each<[string, string]>([
    [
      'starts by times that are worked out',
      file([
        start('s', timer('date', '=now() + duration("PT1H")')),
        start('t', timer('cycle', '="R/" + string(today()) + "T03:00:00Z/P1D"')),
      ]),
    ],
    ['a call of itself, and of a process that is known later', around(call('c', 'process'), call('d', '=which'))],
  ])('%s', async (_, xml) => expect(await refusals(xml)).toEqual([]));
});
