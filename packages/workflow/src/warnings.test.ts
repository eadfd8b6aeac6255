import { describe, expect, it } from 'vitest';
import { requirements } from './requirements.ts';
import { accepted, Instance, refusals } from './testing/instance.ts';
import * as xml from './testing/xml.ts';

const {
  boundary,
  call,
  catchEvent,
  chain,
  end,
  error,
  errorEnd,
  file,
  flow,
  gateway,
  message,
  script,
  service,
  start,
} = xml;

const schema = (text: object) => ({
  extensions: `<kethub:requestSchema>${JSON.stringify(text)}</kethub:requestSchema>`,
});
const closed = schema({ type: 'object', properties: { n: {}, list: {} } });
const warned = (instance: Instance) =>
  instance.journal.flatMap((entry) => (entry.type === 'warned' ? [`${entry.elementId} ${entry.code}`] : []));

describe('what expressions notice while they are evaluated', () => {
  const ways: [string, readonly string[], string][] = [
    ['an input mapping', [service('x', { in: { data: '=mispelt' } })], 'x NO_VARIABLE_FOUND'],
    ['an output mapping', [xml.task('x', { out: { y: '=n.none' } })], 'x NO_CONTEXT_ENTRY_FOUND'],
    ['a script', [script('x', 'y', '=upercase("a")')], 'x NO_FUNCTION_FOUND'],
    ['a type error', [script('x', 'y', '=n < "a"')], 'x NOT_COMPARABLE'],
    ['a loop', [xml.task('x', { loop: { over: '=[1]', into: 'all', collect: '=[mispelt]' } })], 'x NO_VARIABLE_FOUND'],
    ['a timer', [catchEvent('x', xml.timer('duration', '=get or else(mispelt.y, "PT1S")'))], ''],
  ];

  it.each(ways)('is in the journal and in the state, once: %s', async (_, parts, expected) => {
    const instance = new Instance(await accepted(file([start('s'), ...parts, end('e'), chain('s', 'x', 'e')])), {
      n: { a: 1 },
    });
    expect(warned(instance)).toEqual(expected === '' ? [] : [expected]);
    expect((instance.live.warnings ?? []).map(({ elementId, code }) => `${elementId} ${code}`)).toEqual(
      warned(instance),
    );
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('names a condition, and what an incident follows from', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('exclusive', 'g'),
        end('a'),
        end('b'),
        chain('s', 'g'),
        flow('g', 'a', '=mispelt > 1'),
        flow('g', 'b', '=true'),
      ]),
    );
    const instance = new Instance(graph);
    expect(instance.live.warnings?.[0]).toMatchObject({ elementId: 'g', expression: '=mispelt > 1' });
  });

  it('does not fill the journal in rounds', async () => {
    const loop = { over: '=for i in 1..1000 return i' };
    const graph = await accepted(
      file([start('s'), script('x', 'y', '=mispelt + loopCounter', { loop }), end('e'), chain('s', 'x', 'e')]),
    );
    expect(warned(new Instance(graph)).length).toBeLessThanOrEqual(20);
  });
});

describe('what a deployment warns of', () => {
  const warnings = async (parts: readonly string[], options: xml.FileOptions = {}) =>
    (requirements(await accepted(file(parts, options))).warnings ?? []).map(({ elementId, code, expression }) =>
      `${elementId} ${code} ${expression ?? ''}`.trim(),
    );
  const around = (...parts: readonly string[]) => [start('s', '', closed), ...parts, end('e'), chain('s', 'x', 'e')];

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'input mappings',
      around(service('x', { in: { a: '=n', b: '=m' }, out: { r: '=value' } })),
      ['x UNDEFINED_VARIABLE =m'],
    ],
    ['scripts', around(script('x', 'y', '=y0 + n')), ['x UNDEFINED_VARIABLE =y0 + n']],
    ['loops', around(xml.task('x', { loop: { over: '=lst' } })), ['x UNDEFINED_VARIABLE =lst']],
    ['functions', around(script('x', 'y', '=upercase("a")')), ['x UNKNOWN_FUNCTION =upercase("a")']],
    ['end events', [start('s', '', closed), end('x', { r: '=m' }), chain('s', 'x')], ['x UNDEFINED_VARIABLE =m']],
    ['nothing in filters', around(script('x', 'y', '=list[weight > n]')), []],
    ['nothing that is asked for', around(script('x', 'y', '=get or else(m, 1)')), []],
    ['nothing that expressions bind', around(script('x', 'y', '=for i in list return {k: i, l: k}')), []],
    ['nothing that a loop defines', around(xml.task('x', { in: { a: '=i' }, loop: { over: '=list', as: 'i' } })), []],
    ['nothing behind a result that is taken as it is', around(service('x'), script('y', 'z', '=m')), []],
    ['nothing of an open request', [start('s'), script('x', 'y', '=m'), end('e'), chain('s', 'x', 'e')], []],
  ])('%s', async (_, parts, expected) => {
    expect(await warnings(parts)).toEqual(expected);
  });

  it('errors that nothing throws, but not what a called process throws', async () => {
    const caught = [
      start('s'),
      call('x', 'child'),
      end('e'),
      chain('s', 'x', 'e'),
      boundary('b', 'x', error('MINE')),
      flow('b', 'e'),
    ];
    const child = (last: string) => xml.process('child', [start('cs'), last, chain('cs', 'ce')]);
    const options = (last: string) => ({ errors: ['MINE'], processes: [child(last)] });
    expect(await warnings(caught, options(end('ce')))).toEqual(['b NEVER_THROWN']);
    expect(await warnings(caught, options(errorEnd('ce', 'MINE')))).toEqual([]);
  });
});

describe('what can never be meant', () => {
  it.each(['HUB_SERVICE_FAILED', 'WORKFLOW_ERROR'])('a boundary event for %s is refused', async (code) => {
    const parts = [
      start('s'),
      service('x'),
      end('e'),
      chain('s', 'x', 'e'),
      boundary('b', 'x', error(code)),
      flow('b', 'e'),
    ];
    expect(await refusals(file(parts, { errors: [code] }))).toEqual(['ERROR_CODE b']);
  });

  it.each([
    '={token: "Bearer " + secret_value("a")}',
    '={token: string(secret_value("a"))}',
    '={token: secret_value("a") = "x"}',
    '={token: if secret_value("a") = null then secret_value("a") else secret_value("b")}',
    '={token: [secret_value("a")][1].x}',
  ])('a secret that is taken apart is refused: %s', async (source) => {
    const parts = [start('s'), service('x', { in: { $secrets: source } }), end('e'), chain('s', 'x', 'e')];
    expect(await refusals(file(parts))).toEqual(['SECRET x']);
  });

  it.each([
    '=secret_value("a")',
    '=[secret_value("a")]',
    '=[{token: secret_value("a")}]',
    '={token: [secret_value("a")]}',
    '={token: {inner: secret_value("a")}}',
    '={token: secret_value("a"), plain: "x"}',
    '={token: secret_value("a"), plain: null}',
    '=if n = 1 then secret_value("a") else [secret_value("b")]',
  ])('a mapping that can only fail is refused: %s', async (source) => {
    const parts = [start('s'), service('x', { in: { $secrets: source } }), end('e'), chain('s', 'x', 'e')];
    expect(await refusals(file(parts))).toEqual(['SECRET x']);
  });

  it.each([
    '={token: secret_value("a")}',
    '={token: secret_value("a"), same: token}',
    '={token: if n = 1 then secret_value("a") else secret_value("b")}',
    '=get or else(given, {token: secret_value("a")})',
    '=if n = 1 then {t: secret_value("a")} else {t: secret_value("b")}',
    '=context put({}, "t", secret_value("a"))',
  ])('a secret that is passed on is not: %s', async (source) => {
    const parts = [start('s'), service('x', { in: { $secrets: source } }), end('e'), chain('s', 'x', 'e')];
    expect(await refusals(file(parts))).toEqual([]);
  });

  it.each(['script', 'end', 'message'])('a secret is read nowhere else: %s', async (where) => {
    const secret = '=secret_value("a")';
    const parts: Record<string, readonly string[]> = {
      script: [script('x', 'y', secret)],
      end: [xml.task('x', { out: { y: secret } })],
      message: [catchEvent('x', message('m'))],
    };
    const all = file([start('s'), ...(parts[where] ?? []), end('e'), chain('s', 'x', 'e')], {
      messages: { m: secret },
    });
    expect(await refusals(all)).toEqual(['SECRET x']);
  });
});

describe('the error that an event has caught', () => {
  const inner = (event: string) => [
    start('is'),
    service('x'),
    end('ie'),
    chain('is', 'x', 'ie'),
    boundary('b', 'x', error('SERVICE_FAILED')),
    flow('b', event),
    end(event),
  ];
  const parts = (sub: string) => [
    start('s'),
    sub,
    end('e', { code: '=x_serviceError.errorCode' }),
    chain('s', 'sub', 'e'),
  ];
  const options = { errors: ['SERVICE_FAILED'] };

  it.each([
    ['a sub-process', xml.subProcess('sub', inner('c'))],
    [
      'one in another',
      xml.subProcess('sub', [start('os'), xml.subProcess('deep', inner('c')), end('oe'), chain('os', 'deep', 'oe')]),
    ],
    ['a loop', xml.subProcess('sub', inner('c'), { loop: { over: '=[1]' } })],
  ])('is read behind %s that contained the task', async (_, sub) => {
    const instance = new Instance(await accepted(file(parts(sub), options)));
    instance.fail('x');
    expect(instance.live.outputs).toEqual({ code: 'HUB_SERVICE_FAILED' });
  });
});
