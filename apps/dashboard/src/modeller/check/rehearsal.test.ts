import { expect, test } from 'vitest';
import { chain, end, file, service, serviceId, start } from '../../../../../packages/workflow/src/testing/xml.ts';
import { check, evaluate } from './check.ts';
import { Rehearsal } from './rehearsal.ts';

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
  expect(rehearsal.snapshot.waiting).toEqual([
    { kind: 'job', id: expect.any(Number), elementId: 'call', input: `{"data":${LARGE}}`, serviceId },
  ]);
  const [job] = rehearsal.snapshot.waiting;
  rehearsal.happen({ type: 'succeed', job: job?.id ?? 0, result: `{"doubled": ${LARGE}}` });
  expect(rehearsal.snapshot).toMatchObject({
    status: 'SUCCEEDED',
    waiting: [],
    result: `{"answer":${LARGE},"more":9007199254740994}`,
  });
});

test('a failed service is an incident, which is tried again with what is corrected', async () => {
  const rehearsal = await Rehearsal.start(WORKFLOW, '{"n": 1}');
  rehearsal.happen({ type: 'fail', job: rehearsal.snapshot.waiting[0]?.id ?? 0, response: '{"detail": "no"}' });
  const [incident] = rehearsal.snapshot.incidents;
  expect(incident).toMatchObject({ elementId: 'call', code: 'HUB_SERVICE_FAILED' });
  rehearsal.happen({ type: 'retry', incident: incident?.incident ?? 0, variables: `{"data": ${FINE}}` });
  expect(rehearsal.snapshot.waiting).toMatchObject([{ kind: 'job', input: `{"data":${FINE}}` }]);
  expect(() => rehearsal.happen({ type: 'succeed', job: 1, result: '[' })).toThrow('The result is not JSON');
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
