import { parseExact } from '@kethub/feel';
import { describe, expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import { catchEvent, chain, end, file, message, script, service, start } from '../testing/xml.ts';
import type { Variables } from '../types.ts';
import { resultOf } from './status.ts';

const large = '12345678901234567890';
const numbers = `[${large},0.1000000000000000055511151231257827,1e400,1.5]`;
const json = (value: unknown): string => JSON.stringify(value);
const given = (text: string): Variables => parseExact(text) as Variables;

describe('numbers that no double holds', () => {
  it('pass unchanged from the input through tasks, loops, scripts and messages to the result', async () => {
    const graph = await accepted(
      file(
        [
          start('s'),
          service('a', { in: { data: '=n', 'p.q': '=n[2]' }, out: { r: '=value', same: '=value = n' } }),
          service('each', { in: { x: '=item' }, loop: { over: '=r', as: 'item', into: 'all', collect: '=value' } }),
          script('sum', 'next', '=r[1] + 1'),
          catchEvent('m', message('go'), { out: { told: '=told' } }),
          end('e', { r: '=r', all: '=all', next: '=next', told: '=told', same: '=same' }),
          chain('s', 'a', 'each', 'sum', 'm', 'e'),
        ],
        { messages: { go: '=r[1]' } },
      ),
    );
    const instance = new Instance(graph, given(`{"n":${numbers}}`));
    expect(json(instance.input('a'))).toBe(`{"data":${numbers},"p":{"q":0.1000000000000000055511151231257827}}`);
    instance.succeed('a', given(`{"value":${numbers}}`));
    expect(json(instance.effects.flatMap((one) => (one.type === 'startJob' ? [one.input] : [])))).toBe(
      `[{"x":${large}},{"x":0.1000000000000000055511151231257827},{"x":1e400},{"x":1.5}]`,
    );
    for (let round = 0; round < 4; round++) instance.succeed('each', given(`{"value":${large}}`));
    expect(Object.values(instance.state.subscriptions)).toMatchObject([{ correlationKey: large }]);
    instance.correlate('m', given(`{"told":${large}}`));
    expect(json(resultOf(instance.live))).toBe(
      `{"r":${numbers},"all":[${large},${large},${large},${large}],"next":12345678901234567891,"told":${large},"same":true}`,
    );
    expect(json(instance.rebuilt())).toBe(json(instance.state));
  });

  it('are an incident that names them, where an expression computes with more than decimal128 holds', async () => {
    const graph = await accepted(file([start('s'), script('x', 'y', '=n + 1'), end('e'), chain('s', 'x', 'e')]));
    const { state } = new Instance(graph, given('{"n":1e7000}'));
    expect(state.incidents[0]?.error.message).toContain('The number 1e7000 is beyond what can be computed with');
  });
});
