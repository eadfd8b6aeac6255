import { describe, expect, it } from 'vitest';
import { accepted, Instance, refusals, stored } from '../testing/instance.ts';
import { catchEvent, chain, end, file, flow, gateway, message, script, start, throwMessage } from '../testing/xml.ts';
import { limits } from './limits.ts';

const key = { correlationKey: '=order' };
const thrower = (given: Parameters<typeof throwMessage>[2], messages: Record<string, string | null> = { paid: null }) =>
  accepted(file([start('s'), throwMessage('t', 'paid', given), end('e'), chain('s', 't', 'e')], { messages }));
const messagesOf = ({ effects }: Instance) => effects.filter(({ type }) => type === 'publishMessage');

describe('an event that throws a message', () => {
  it('publishes its input mappings under its key, and goes on', async () => {
    const graph = await thrower({
      in: { total: '=a + 1', 'who.name': 'Ada' },
      publish: { ...key, timeToLive: 'PT90S' },
    });
    const instance = new Instance(graph, { a: 1, order: 7 });
    expect(messagesOf(instance)).toEqual([
      {
        type: 'publishMessage',
        message: expect.any(Number) as number,
        elementId: 't',
        messageName: 'paid',
        correlationKey: '7',
        timeToLiveMs: 90_000,
        variables: { total: 2, who: { name: 'Ada' } },
      },
    ]);
    expect([instance.state.phase, instance.completed]).toEqual(['COMPLETED', ['s', 't', 'e', 'process']]);
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('takes the key by which the message is waited for; without one, none', async () => {
    const shared = await thrower({}, { paid: '=order' });
    expect(messagesOf(new Instance(shared, { order: 'o' }))).toMatchObject([
      { correlationKey: 'o', timeToLiveMs: null },
    ]);
    const none = await thrower({ publish: {} });
    expect(messagesOf(new Instance(none))).toMatchObject([{ correlationKey: '', variables: {} }]);
  });

  it('can be the end of a process, whose result it maps', async () => {
    const given = { in: { sum: '=a' }, out: { all: '=sum' }, ends: true, publish: key };
    const graph = await accepted(
      file([start('s'), throwMessage('t', 'paid', given), chain('s', 't')], { messages: { paid: null } }),
    );
    const instance = new Instance(graph, { a: 3, order: 'o' });
    expect(messagesOf(instance)).toMatchObject([{ variables: { sum: 3 } }]);
    expect([instance.state.phase, instance.live.outputs]).toEqual(['COMPLETED', { all: 3 }]);
  });

  it.each([
    ['a key that is none', { publish: key }, {}],
    ['a key that is too long', { publish: key }, { order: 'x'.repeat(101) }],
    ['a key with U+0000', { publish: key }, { order: 'x\0' }],
    ['a time that is none', { publish: { timeToLive: '="soon"' } }, {}],
    ['a time that is too long', { publish: { timeToLive: '="P8D"' } }, {}],
    ['a time that is too short', { publish: { timeToLive: '="PT0.5S"' } }, {}],
    ['variables that are too large', { in: { a: '=order' } }, { order: 'x'.repeat(limits.messageBytes) }],
  ])('has an incident and publishes nothing for %s, and once when it is mended', async (_what, given, variables) => {
    const instance = new Instance(await thrower(given), variables);
    expect(messagesOf(instance)).toEqual([]);
    expect(instance.state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 't' }]);
    if (!('publish' in given) || given.publish !== key) return;
    instance.apply({ type: 'setVariables', variables: { order: 'right' } });
    instance.retry('t');
    expect(messagesOf(instance)).toMatchObject([{ correlationKey: 'right' }]);
    expect(instance.state.phase).toBe('COMPLETED');
  });

  it('throws at most a thousand in one step', async () => {
    const graph = await accepted(
      file(
        [
          start('s'),
          script('n', 'n', '=get or else(n, 0) + 1'),
          throwMessage('t', 'paid', { publish: {} }),
          gateway('exclusive', 'g', 'n'),
          chain('s', 'n', 't', 'g', 'n'),
          flow('g', 'e', '=false'),
          end('e'),
        ],
        { messages: { paid: null } },
      ),
    );
    const instance = new Instance(graph);
    expect(messagesOf(instance).length).toBeGreaterThan(900);
    expect(messagesOf(instance).length).toBeLessThanOrEqual(1_000);
    expect(instance.state.incidents).toMatchObject([{ type: 'TRANSITION_LIMIT' }]);
    expect(stored(instance.live)).toEqual(instance.live);
  });

  it('does not meet its own instance before that waits', async () => {
    const graph = await accepted(
      file(
        [start('s'), throwMessage('t', 'paid'), catchEvent('c', message('paid')), end('e'), chain('s', 't', 'c', 'e')],
        {
          messages: { paid: '=order' },
        },
      ),
    );
    const instance = new Instance(graph, { order: 'o' });
    expect(instance.effects.map(({ type }) => type)).toEqual(['publishMessage', 'openSubscription']);
  });

  it.each<[string, Parameters<typeof throwMessage>[2], string]>([
    ['a time to live that is none', { publish: { timeToLive: 'soon' } }, 'MESSAGE t'],
    ['a key that is no FEEL', { publish: { correlationKey: '=)' } }, 'EXPRESSION t'],
    ['a secret', { in: { a: '=secret_value("x")' } }, 'SECRET t'],
  ])('is refused with %s', async (_what, given, problem) => {
    const parts = [start('s'), throwMessage('t', 'paid', given), end('e'), chain('s', 't', 'e')];
    expect(await refusals(file(parts, { messages: { paid: null } }))).toEqual([problem]);
  });

  it('alone says how a message is published', async () => {
    const waiting = catchEvent('c', message('paid'), { extensions: '<kethub:publish timeToLive="PT1H"/>' });
    const parts = [start('s'), waiting, end('e'), chain('s', 'c', 'e')];
    expect(await refusals(file(parts, { messages: { paid: '=order' } }))).toEqual(['MESSAGE c']);
  });
});
