import { describe, expect, it } from 'vitest';
import { requirements } from '../requirements.ts';
import { accepted, Instance, refusals } from '../testing/instance.ts';
import {
  boundary,
  call,
  chain,
  end,
  eventSubProcess,
  file,
  flow,
  gateway,
  script,
  service,
  start,
  subProcess,
  task,
} from '../testing/xml.ts';

const link = (name: string) => `<linkEventDefinition${name === '' ? '' : ` name="${name}"`}/>`;
const throwing = (id: string, definition: string) =>
  `<intermediateThrowEvent id="${id}">${definition}</intermediateThrowEvent>`;
const catching = (id: string, definition: string) =>
  `<intermediateCatchEvent id="${id}">${definition}</intermediateCatchEvent>`;
const escalation = (code?: string) =>
  code === undefined ? '<escalationEventDefinition/>' : `<escalationEventDefinition escalationRef="esc_${code}"/>`;
const escalating = (parts: readonly string[]) =>
  file(parts).replace(
    '<process ',
    '<escalation id="esc_LATE" escalationCode="LATE"/><escalation id="esc_OTHER" escalationCode="OTHER"/><process ',
  );

describe('links', () => {
  it('lead from every event that throws to the one that catches, round a loop as well', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('parallel', 'p'),
        chain('s', 'p'),
        flow('p', 'a'),
        flow('p', 'b'),
        throwing('a', link('L')),
        throwing('b', link('L')),
        catching('c', link('L')),
        script('x', 'n', '=get or else(n, 0) + 1'),
        gateway('exclusive', 'g', 'again'),
        chain('c', 'x', 'g'),
        flow('g', 'e', '=n > 3'),
        flow('g', 'again'),
        throwing('again', link('L')),
        end('e', { n: '=n' }),
      ]),
    );
    const instance = new Instance(graph);
    expect([instance.state.phase, instance.live.outputs]).toEqual(['COMPLETED', { n: 4 }]);
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('are seen by an inclusive join behind them', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('inclusive', 'i'),
        chain('s', 'i'),
        flow('i', 'w', '=true'),
        flow('i', 'j', '=true'),
        service('w'),
        throwing('t', link('L')),
        flow('w', 't'),
        catching('c', link('L')),
        flow('c', 'j'),
        gateway('inclusive', 'j'),
        end('e'),
        flow('j', 'e'),
      ]),
    );
    const instance = new Instance(graph);
    expect(instance.active).toEqual(['w']);
    instance.succeed('w');
    expect([instance.state.phase, instance.completed.filter((id) => id === 'j')]).toEqual(['COMPLETED', ['j']]);
  });

  it.each<[string, readonly string[], string]>([
    ['without one that catches', [throwing('x', link('L')), chain('s', 'x')], 'x'],
    ['without a name', [throwing('x', link('')), chain('s', 'x')], 'x'],
    [
      'that somebody leaves',
      [throwing('x', link('L')), catching('c', link('L')), chain('s', 'x', 'e'), flow('c', 'e')],
      'x',
    ],
    [
      'that somebody enters',
      [throwing('t', link('L')), catching('x', link('L')), chain('s', 't'), flow('s', 'x'), flow('x', 'e')],
      'x',
    ],
    [
      'that two catch',
      [
        throwing('t', link('L')),
        catching('c', link('L')),
        catching('x', link('L')),
        chain('s', 't'),
        flow('c', 'e'),
        flow('x', 'e'),
      ],
      'x',
    ],
    [
      'into a sub-process',
      [
        throwing('x', link('L')),
        chain('s', 'x'),
        subProcess('sub', [start('ss'), chain('ss', 'se'), catching('c', link('L')), flow('c', 'se'), end('se')]),
      ],
      'x',
    ],
  ])('are refused %s', async (_, parts, element) => {
    expect(await refusals(file([start('s'), ...parts, end('e')]))).toContain(`SEQUENCE_FLOW ${element}`);
  });
});

describe('escalations', () => {
  const within = (interrupting: boolean, code?: string) =>
    escalating([
      start('s'),
      subProcess('sub', [
        start('ss'),
        throwing('t', escalation('LATE')),
        service('after'),
        end('se'),
        chain('ss', 't', 'after', 'se'),
      ]),
      end('e'),
      chain('s', 'sub', 'e'),
      boundary('b', 'sub', escalation(code), { interrupting }),
      script('told', 'told', '=true'),
      end('be', { told: '=told' }),
      chain('b', 'told', 'be'),
    ]);

  it.each([['LATE'], [undefined]])('are caught on a sub-process, which goes on: %s', async (code) => {
    const instance = new Instance(await accepted(within(false, code)));
    expect(instance.active.toSorted()).toEqual(['after', 'sub']);
    expect(instance.completed).toContain('be');
    instance.succeed('after');
    expect([instance.state.phase, instance.live.outputs]).toEqual(['COMPLETED', { told: true }]);
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('end the sub-process, where the event interrupts', async () => {
    const instance = new Instance(await accepted(within(true)));
    expect([instance.state.phase, instance.completed.includes('t')]).toEqual(['COMPLETED', false]);
  });

  it('change nothing where nobody catches them, and are a warning', async () => {
    const instance = new Instance(await accepted(within(true, 'OTHER')));
    expect(instance.active).toContain('after');
    expect(instance.live.warnings).toMatchObject([{ elementId: 't', code: 'UNCAUGHT_ESCALATION' }]);
  });

  it.each([
    [true, ['COMPLETED', { by: 'esp' }]],
    [false, ['COMPLETED', { by: 'esp', n: 1 }]],
  ])(
    'are caught by an event sub-process, also those of end events (interrupting: %s)',
    async (interrupting, expected) => {
      const instance = new Instance(
        await accepted(
          escalating([
            start('s'),
            `<endEvent id="x"><extensionElements><zeebe:ioMapping><zeebe:output source="=1" target="n"/></zeebe:ioMapping></extensionElements>${escalation('LATE')}</endEvent>`,
            chain('s', 'x'),
            eventSubProcess('esp', [
              start('es', escalation('LATE'), { interrupting }),
              end('ee', { by: '="esp"' }),
              chain('es', 'ee'),
            ]),
          ]),
        ),
      );
      expect([instance.state.phase, instance.live.outputs]).toEqual(expected);
    },
  );

  it('are refused where nothing throws them to, without a code, and caught twice', async () => {
    const on = (host: string, more: string) =>
      escalating([
        start('s'),
        host,
        end('e'),
        chain('s', 'x', 'e'),
        boundary('b', 'x', escalation()),
        flow('b', 'e'),
        more,
      ]);
    expect(await refusals(on(task('x'), ''))).toEqual(['UNSUPPORTED_EVENT b']);
    const sub = subProcess('x', [start('ss'), end('se'), chain('ss', 'se')]);
    expect(await refusals(on(sub, boundary('c', 'x', escalation()) + flow('c', 'e')))).toEqual(['DUPLICATE_CATCHER c']);
    expect(
      await refusals(escalating([start('s'), throwing('x', escalation()), end('e'), chain('s', 'x', 'e')])),
    ).toEqual(['ERROR_CODE x']);
  });
});

describe('a call activity that names a workflow service', () => {
  const id = '01890000-0000-7000-8000-00000000000a';
  const calling = async (
    given: { in?: Record<string, string>; out?: Record<string, string>; propagate?: boolean } = {},
  ) =>
    new Instance(
      await accepted(
        file([
          start('s'),
          call('x', `${id}@1.2.0`, given),
          end('e', { r: '=get or else(r, null)', n: '=n' }),
          chain('s', 'x', 'e'),
          boundary('b', 'x', '<errorEventDefinition/>'),
          flow('b', 'e'),
        ]),
      ),
      { n: 1 },
    );

  it('calls it as a service, with all variables and its mappings, and takes what it returns', async () => {
    const instance = await calling({ in: { m: '=n + 1' }, propagate: true });
    expect(instance.effects).toMatchObject([
      {
        type: 'startJob',
        service: { serviceId: id, serviceVersion: '1.2.0', applicationId: null },
        input: { n: 1, m: 2 },
      },
    ]);
    instance.succeed('x', { r: 3 });
    expect(instance.live.outputs).toEqual({ r: 3, n: 1 });
  });

  it('takes only what it maps, or nothing, where it says so', async () => {
    for (const [out, r] of [
      [{ r: '=r + 1' }, 4],
      [{}, null],
    ] as const) {
      const instance = await calling({ out, propagate: false });
      instance.succeed('x', { r: 3, n: 9 });
      expect(instance.live.outputs).toEqual({ r, n: 1 });
    }
  });

  it('is given secrets, needs a subscription, and its failure is caught', async () => {
    const instance = await calling({ in: { $secrets: '={t: secret_value("t")}' } });
    expect(instance.state.incidents[0]?.type).toBe('IO_MAPPING_ERROR');
    const graph = await accepted(file([start('s'), call('x', id), end('e'), chain('s', 'x', 'e')]));
    expect(requirements(graph).services).toMatchObject([{ elementId: 'x', serviceId: id, serviceVersion: null }]);
    const failing = await calling();
    failing.fail('x');
    expect(failing.completed).toContain('b');
  });
});

it.each(['compensateEventDefinition', 'conditionalEventDefinition'])('%s that throws is refused', async (kind) => {
  expect(await refusals(file([start('s'), throwing('x', `<${kind}/>`), end('e'), chain('s', 'x', 'e')]))).toEqual([
    'UNSUPPORTED_EVENT x',
  ]);
});

it.each(['userTask', 'sendTask', 'businessRuleTask'])('a %s is refused with what to use instead', async (kind) => {
  expect(await refusals(file([start('s'), `<${kind} id="x"/>`, end('e'), chain('s', 'x', 'e')]))).toEqual([
    'UNSUPPORTED_ELEMENT x',
  ]);
});
