import { describe, expect, it } from 'vitest';
import { requirements } from '../requirements.ts';
import { accepted, Instance } from '../testing/instance.ts';
import {
  chain,
  end,
  error,
  errorEnd,
  eventSubProcess,
  file,
  gateway,
  message,
  service,
  start,
  subProcess,
  timer,
} from '../testing/xml.ts';
import { resultOf } from './status.ts';

describe('end events of an event sub-process of the process', () => {
  const within = (trigger: string, interrupting = true) =>
    accepted(
      file(
        [
          start('s'),
          gateway('parallel', 'p'),
          service('a'),
          end('early', { first: '=1', which: '="early"' }),
          end('e', { a: '=2' }),
          chain('s', 'p', 'a', 'e'),
          chain('p', 'early'),
          eventSubProcess('esp', [
            start('es', trigger, { interrupting }),
            end('ee', { which: '="event"', 'deep.n': '=3' }),
            chain('es', 'ee'),
          ]),
        ],
        { messages: { stop: '=1' }, errors: ['SERVICE_FAILED'] },
      ),
    );
  const happenings: [string, string, (instance: Instance) => unknown][] = [
    ['a timer', timer('duration', 'PT1H'), (instance) => instance.due('es')],
    ['a message', message('stop'), (instance) => instance.correlate('es')],
    ['an error', error('SERVICE_FAILED'), (instance) => instance.fail('a')],
  ];

  it.each(happenings)('return fields of the result, when %s interrupts it', async (_, trigger, happens) => {
    const graph = await within(trigger);
    const instance = new Instance(graph);
    happens(instance);
    expect(resultOf(instance.live)).toEqual({ first: 1, which: 'event', deep: { n: 3 } });
    expect(instance.rebuilt()).toEqual(instance.state);
    expect(requirements(graph).outputs).toContainEqual({ elementId: 'ee', name: 'deep' });
  });

  it('return fields beside those of other end events, when it goes on', async () => {
    const instance = new Instance(await within(message('stop'), false));
    instance.correlate('es');
    instance.succeed('a');
    expect(resultOf(instance.live)).toEqual({ first: 1, which: 'event', deep: { n: 3 }, a: 2 });
  });

  it('are distinguished from those of sub-processes, in it and around one', async () => {
    const inSubProcess = (id: string) =>
      subProcess(id, [start(`${id}_s`), end(`${id}_e`, { [id]: '=1' }), chain(`${id}_s`, `${id}_e`)]);
    const event = (id: string, code: string, ...parts: string[]) =>
      eventSubProcess(id, [start(`${id}_s`, error(code)), ...parts]);
    const graph = await accepted(
      file(
        [
          start('s'),
          subProcess('sub', [
            start('ss'),
            errorEnd('one', 'ONE'),
            chain('ss', 'one'),
            event('inner', 'ONE', end('inner_e', { inner: '=1' }), chain('inner_s', 'inner_e')),
          ]),
          errorEnd('two', 'TWO'),
          chain('s', 'sub', 'two'),
          event('outer', 'TWO', inSubProcess('deep'), end('last', { last: '=1' }), chain('outer_s', 'deep', 'last')),
        ],
        { errors: ['ONE', 'TWO'] },
      ),
    );
    const instance = new Instance(graph);
    expect(instance.completed).toEqual(expect.arrayContaining(['inner_e', 'deep_e', 'last']));
    expect(resultOf(instance.live)).toEqual({ last: 1 });
    expect(requirements(graph).outputs).toEqual([{ elementId: 'last', name: 'last' }]);
  });
});
