import { limits } from '@kethub/contract';
import { expect, test } from 'vitest';
import { call, chain, end, file, process, service, serviceId, start } from '@kethub/workflow/testing/xml';
import { check, evaluate } from './check.ts';
import { judge } from './judge.ts';
import { recall } from './record.ts';
import { LARGEST_RESULT, Rehearsal } from './rehearsal.ts';

/** Numbers that no double holds. */
const LARGE = '9007199254740993';
const FINE = '0.1000000000000000055';
const WORKFLOW = file([
  start('start'),
  service('call', { in: { data: '=n' }, out: { answer: '=doubled', more: '=doubled + 1' } }),
  end('end', { answer: '=answer', more: '=more' }),
  chain('start', 'call', 'end'),
]);

test('a rehearsal keeps every digit from its input to its result', async () => {
  const rehearsal = await Rehearsal.start(WORKFLOW, `{"n": ${LARGE}}`);
  expect(rehearsal.snapshot.waiting).toMatchObject([
    { kind: 'job', elementId: 'call', input: `{"data":${LARGE}}`, serviceId, nth: 0 },
  ]);
  rehearsal.happen({ type: 'succeed', key: keyOf(rehearsal), text: `{"doubled": ${LARGE}}` });
  expect(rehearsal.snapshot).toMatchObject({
    status: 'SUCCEEDED',
    waiting: [],
    result: `{"answer":${LARGE},"more":9007199254740994}`,
  });
});

test('a failed service is an incident, which is tried again with what is corrected', async () => {
  const rehearsal = await Rehearsal.start(WORKFLOW, '{"n": 1}');
  rehearsal.happen({ type: 'fail', key: keyOf(rehearsal), text: '{"detail": "no"}' });
  const [incident] = rehearsal.snapshot.incidents;
  expect(incident).toMatchObject({ elementId: 'call', code: 'HUB_SERVICE_FAILED', variables: '{"n":1,"data":1}' });
  rehearsal.happen({ type: 'retry', key: incident?.key ?? '', variables: `{"data": ${FINE}}` });
  expect(rehearsal.snapshot.waiting).toMatchObject([{ kind: 'job', input: `{"data":${FINE}}`, nth: 1 }]);
  expect(() => rehearsal.happen({ type: 'succeed', key: keyOf(rehearsal), text: '[' })).toThrow(
    'The result is not JSON',
  );
});

test('steps are taken back and done again; another step forgets those that were taken back', async () => {
  const rehearsal = await Rehearsal.start(WORKFLOW, '{"n": 1}');
  const begun = rehearsal.snapshot;
  rehearsal.happen({ type: 'fail', key: keyOf(rehearsal), text: '{}' });
  const failed = rehearsal.snapshot;
  rehearsal.happen({ type: 'back' });
  expect(rehearsal.snapshot).toEqual({ ...begun, later: 1 });
  rehearsal.happen({ type: 'forward' });
  expect(rehearsal.snapshot).toEqual(failed);
  rehearsal.happen({ type: 'forward' });
  rehearsal.happen({ type: 'back' });
  rehearsal.happen({ type: 'back' });
  rehearsal.happen({ type: 'succeed', key: keyOf(rehearsal), text: '{"doubled": 2}' });
  expect(rehearsal.snapshot).toMatchObject({ status: 'SUCCEEDED', steps: 1, later: 0 });
});

test('a called process of the file is gone through, with its error and its result', async () => {
  const caller = [
    start('start'),
    call('other', 'inner', { propagate: true }),
    end('end', { answer: '=doubled' }),
    chain('start', 'other', 'end'),
  ];
  const called = process('inner', [
    start('begin'),
    service('call', { in: { data: '=n' }, out: { doubled: '=doubled' } }),
    end('done'),
    chain('begin', 'call', 'done'),
  ]);
  const rehearsal = await Rehearsal.start(file(caller, { processes: [called] }), '{"n": 1}');
  const { journal, scopes } = rehearsal.snapshot;
  expect(scopes.map(({ elementId }) => elementId)).toEqual(['process', 'inner', 'call']);
  const elements = journal.filter(({ type }) => type === 'activated').map(({ element }) => element);
  expect(new Set(elements).size).toBe(elements.length);
  rehearsal.happen({ type: 'fail', key: keyOf(rehearsal), text: '{}' });
  expect(rehearsal.snapshot).toMatchObject({ status: 'FAILED', incidents: [{ elementId: 'call' }] });
  rehearsal.happen({ type: 'retry', key: rehearsal.snapshot.incidents[0]?.key ?? '', variables: '{}' });
  rehearsal.happen({ type: 'succeed', key: keyOf(rehearsal), text: '{"doubled": 2}' });
  expect(rehearsal.snapshot).toMatchObject({ status: 'SUCCEEDED', result: '{"answer":2}' });
  expect(rehearsal.snapshot.journal.map(({ seq }) => seq)).toEqual(rehearsal.snapshot.journal.map((_, at) => at + 1));
});

test('names of secrets are known, and their values are no variables', async () => {
  const rehearsal = await Rehearsal.start(WORKFLOW, '{"n": 1, "$secrets": {"token": "open sesame"}, "$tags": ["a"]}');
  expect(rehearsal.snapshot.scopes).toMatchObject([{ variables: '{"n":1}' }, { variables: '{"data":1}' }]);
});

test('the answers of a real instance are found by their elements', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  const events = [
    { type: 'start', variables: { n: 2 }, seed: 'x' },
    { type: 'jobFailed', job: 4, serviceId, applicationId: serviceId, response: { detail: 'no' } },
  ];
  const parsed = await Rehearsal.start(WORKFLOW, '{"n": 2}');
  const id = parsed.snapshot.waiting[0]?.id ?? 0;
  const journal = events.map((event, seq) => ({
    seq,
    at,
    type: 'event',
    event: 'job' in event ? { ...event, job: id } : event,
  }));
  expect(await recall(WORKFLOW, JSON.stringify(journal))).toEqual({
    input: '{"n":2}',
    answers: [{ elementId: 'call', input: '{"data":2}', kind: 'fail', text: '{"detail":"no"}' }],
  });
});

test('a result that no workflow keeps fails its task, as on the platform', async () => {
  expect(LARGEST_RESULT).toBe(limits.workflowResultBytes);
  const of = (length: number) => `{"doubled": 1, "x": "${'x'.repeat(length)}"}`;
  for (const [text, status] of [
    [of(LARGEST_RESULT - 100), 'SUCCEEDED'],
    [of(LARGEST_RESULT), 'FAILED'],
    [of(0) + ' '.repeat(LARGEST_RESULT), 'SUCCEEDED'],
    [of(0).replace('x"', 'ä'.repeat(LARGEST_RESULT / 2) + '"'), 'FAILED'],
  ] as const) {
    const rehearsal = await Rehearsal.start(WORKFLOW, '{"n": 1}');
    rehearsal.happen({ type: 'succeed', key: keyOf(rehearsal), text });
    expect(rehearsal.snapshot.status).toBe(status);
    if (status === 'FAILED') expect(rehearsal.snapshot.incidents).toMatchObject([{ code: 'HUB_SERVICE_FAILED' }]);
  }
});

test('an input that the platform would refuse is judged', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n', 'm'] };
  const extensions = `<kethub:requestSchema>${JSON.stringify(schema)}</kethub:requestSchema>`;
  const xml = file([start('start', '', { extensions }), end('end'), chain('start', 'end')]);
  expect(await judge(xml, '{"n": 1, "m": 2, "$secrets": {}}')).toEqual([]);
  expect((await judge(xml, '{"n": "x"}')).join('\n')).toMatch(/"m"[^]*n: /);
});

test('a problem keeps a file from being rehearsed, and stands at its element', async () => {
  const broken = WORKFLOW.replace('=n', '=(n');
  const { findings } = await check(broken);
  expect(findings).toMatchObject([{ elementId: 'call', isWarning: false }]);
  await expect(Rehearsal.start(broken, '{}')).rejects.toThrow('Mend the problems first');
  await expect(Rehearsal.start(WORKFLOW, '[]')).rejects.toThrow('The input has to be a JSON object.');
});

test('an expression has a value, or says what it needs', () => {
  expect(evaluate('=n + 0', `{"n": ${LARGE}}`)).toMatchObject({ value: LARGE });
  expect(evaluate('={a: n, b: m.x}', '{"n": 1}')).toEqual({ value: null, error: null, missing: ['m'] });
  expect(evaluate('=n +', '{}').error).toContain('line 1');
});

function keyOf(rehearsal: Rehearsal): string {
  return rehearsal.snapshot.waiting[0]?.key ?? '';
}
