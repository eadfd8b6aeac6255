import { expect, it } from 'vitest';
import { parse } from './parse.ts';
import { firstStart, nextStart, requirements } from './requirements.ts';
import { accepted } from './testing/instance.ts';
import {
  call,
  catchEvent,
  chain,
  end,
  file,
  message,
  process,
  service,
  serviceId,
  start,
  timer,
} from './testing/xml.ts';

const schema = '{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}';

it('lists what a workflow needs and offers', async () => {
  const graph = await accepted(
    file(
      [
        start('plain', '', {
          extensions: `<kethub:requestSchema>${schema.replaceAll('"', '&quot;')}</kethub:requestSchema>`,
        }),
        start('nightly', timer('cycle', 'R/PT24H')),
        start('told', message('go')),
        service('a', { in: { $secrets: '={t: secret_value("token"), u: secret_value("user")}' } }),
        catchEvent('wait', message('paid')),
        call('c', 'called'),
        call('d', '=which'),
        end('e', { result: '=1', 'deep.x': '=2', 'deep.y': '=3' }),
        chain('plain', 'a', 'wait', 'c', 'd', 'e'),
        chain('nightly', 'a'),
        chain('told', 'a'),
      ],
      {
        messages: { go: null, paid: '=key' },
        processes: [
          process('called', [start('cs'), service('b'), end('ce', { hidden: '=1' }), chain('cs', 'b', 'ce')]),
        ],
      },
    ),
  );
  const reference = { serviceId, applicationId: null, serviceVersion: null };
  expect(requirements(graph)).toEqual({
    processId: 'process',
    name: null,
    startEvent: 'plain',
    requestSchema: JSON.parse(schema),
    signalStarts: [],
    signals: [],
    timerStarts: [{ elementId: 'nightly' }],
    messageStarts: [{ elementId: 'told', messageName: 'go' }],
    messages: [{ elementId: 'wait', messageName: 'paid' }],
    services: [
      { elementId: 'a', ...reference },
      { elementId: 'b', ...reference },
    ],
    calls: [
      { elementId: 'c', processId: 'called' },
      { elementId: 'd', processId: null },
    ],
    outputs: [
      { elementId: 'e', name: 'result' },
      { elementId: 'e', name: 'deep' },
    ],
    secrets: ['token', 'user'],
    warnings: [],
  });
});

it('computes when timer start events are due, without drift, as often as they say', async () => {
  const now = Date.parse('2030-01-31T00:00:00Z');
  const dates = async (definition: string) => {
    const parsed = await parse(file([start('t', definition), end('e'), chain('t', 'e')]), { judged: true });
    if ('problems' in parsed) throw new Error('refused');
    const { graph } = parsed;
    const found: string[] = [];
    for (let next = firstStart(graph, 't', now); next !== null && found.length < 4; next = nextStart(next)) {
      found.push(new Date(next.due).toISOString());
    }
    return found;
  };
  expect(await dates(timer('date', '2030-02-01T00:00:00Z'))).toEqual(['2030-02-01T00:00:00.000Z']);
  expect(await dates(timer('cycle', 'R2/PT12H'))).toEqual(['2030-01-31T12:00:00.000Z', '2030-02-01T00:00:00.000Z']);
  expect(await dates(timer('cycle', 'R/2030-02-01T00:00:00Z/P1D'))).toHaveLength(4);
  expect(await dates(timer('cycle', '=if true then "R1/PT1H" else null'))).toEqual(['2030-01-31T01:00:00.000Z']);
  expect(await dates(timer('cycle', '=null'))).toEqual([]);
  expect(await dates(timer('cycle', '=for i in 1..1000000 return i'))).toEqual([]);
});
