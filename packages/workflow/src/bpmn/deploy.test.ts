import { describe, expect, it } from 'vitest';
import { parse } from '../parse.ts';
import { refusals } from '../testing/instance.ts';
import {
  boundary,
  catchEvent,
  chain,
  end,
  error,
  errorEnd,
  eventSubProcess,
  file,
  flow,
  gateway,
  message,
  script,
  service,
  serviceId,
  start,
  subProcess,
  task,
  timer,
} from '../testing/xml.ts';

const errors = ['SERVICE_FAILED', 'OWN'];
const messages = { paid: '=key', go: null };
/** A process of a start event, and what is given. */
const around = (...parts: string[]) => file([start('s'), ...parts], { errors, messages });
const header = (headers: string, type = 'platform-service') =>
  service('t', {
    extensions: `<zeebe:taskDefinition type="${type}"/><zeebe:taskHeaders>${headers}</zeebe:taskHeaders>`,
  });
const headerOf = (key: string, value: string) => `<zeebe:header key="${key}" value="${value}"/>`;

describe('refused, each at its element', () => {
  it.each<[string, string, string[]]>([
    // Elements that do not run
    ['a user task', around('<userTask id="u"/>'), ['UNSUPPORTED_ELEMENT u']],
    ['a send task', around('<sendTask id="u"/>'), ['UNSUPPORTED_ELEMENT u']],
    ['a complex gateway', around('<complexGateway id="u"/>'), ['UNSUPPORTED_ELEMENT u']],
    ['a transaction', around('<transaction id="u"/>'), ['UNSUPPORTED_ELEMENT u']],
    ['an ad-hoc sub-process', around('<adHocSubProcess id="u"/>'), ['UNSUPPORTED_ELEMENT u']],
    [
      'a transaction that is connected, and nothing that is connected to it',
      around(
        '<transaction id="u"><userTask id="inner"/></transaction>',
        gateway('parallel', 'g'),
        boundary('b', 'u', timer('duration', 'PT1H')),
        end('e'),
        chain('s', 'g', 'u', 'e'),
        chain('b', 'e'),
      ),
      ['UNSUPPORTED_ELEMENT u'],
    ],
    ['compensation', around('<task id="u" isForCompensation="true"/>'), ['UNSUPPORTED_ELEMENT u']],
    ['a standard loop', around('<task id="u"><standardLoopCharacteristics/></task>'), ['UNSUPPORTED_ELEMENT u']],
    ['a signal event without a signal', around(catchEvent('u', '<signalEventDefinition/>')), ['SIGNAL u']],
    [
      'a message without a name that is thrown',
      around('<intermediateThrowEvent id="u"><messageEventDefinition/></intermediateThrowEvent>'),
      ['MESSAGE u'],
    ],
    [
      'a signal event that throws without a signal',
      around('<intermediateThrowEvent id="u"><signalEventDefinition/></intermediateThrowEvent>'),
      ['SIGNAL u'],
    ],
    [
      'an escalation end event without a code',
      around('<endEvent id="u"><escalationEventDefinition/></endEvent>'),
      ['ERROR_CODE u'],
    ],
    [
      'an event with two definitions',
      around(catchEvent('u', timer('duration', 'PT1H') + message('paid'))),
      ['UNSUPPORTED_EVENT u'],
    ],
    [
      'a listener of Zeebe',
      around(
        task('u').replace('></task>', '><extensionElements><zeebe:executionListeners/></extensionElements></task>'),
      ),
      ['UNSUPPORTED_EXTENSION u'],
    ],
    // Structure
    ['no start event', file([task('t')]), ['START_EVENT process']],
    ['two plain start events', file([start('a'), start('b')]), ['START_EVENT b']],
    ['a sub-process without start event', around(subProcess('sub', [task('t')])), ['START_EVENT sub']],
    [
      'a sub-process that starts with a timer',
      around(subProcess('sub', [start('x', timer('date', '2030-01-01'))])),
      ['START_EVENT sub', 'TIMER x'].slice(0, 1).concat('START_EVENT x'),
    ],
    ['a flow to a start event', around(task('t'), chain('t', 's')), ['START_EVENT s']],
    ['a flow from an end event', around(end('e'), task('t'), chain('e', 't')), ['END_EVENT e']],
    [
      'a flow into a sub-process',
      around(subProcess('sub', [start('x'), task('inner'), chain('x', 'inner')]), chain('s', 'inner')),
      ['SEQUENCE_FLOW s_inner'],
    ],
    ['a flow without target', around('<sequenceFlow id="f" sourceRef="s"/>'), ['SEQUENCE_FLOW f']],
    ['a gateway without outgoing flow', around(gateway('parallel', 'g'), chain('s', 'g')), ['GATEWAY g']],
    [
      'a default flow of another gateway',
      around('<exclusiveGateway id="g" default="s_g"/>', end('e'), chain('s', 'g', 'e')),
      ['GATEWAY g'],
    ],
    [
      'a boundary event of a gateway',
      around(
        gateway('parallel', 'g'),
        end('e'),
        boundary('b', 'g', timer('duration', 'PT1H')),
        chain('s', 'g', 'e'),
        chain('b', 'e'),
      ),
      ['BOUNDARY_EVENT b'],
    ],
    [
      'a boundary event without outgoing flow',
      around(service('t'), boundary('b', 't', timer('duration', 'PT1H'))),
      ['BOUNDARY_EVENT b'],
    ],
    [
      'a boundary event with incoming flow',
      around(service('t'), boundary('b', 't', timer('duration', 'PT1H')), chain('b', 't'), chain('s', 'b')),
      ['BOUNDARY_EVENT b'],
    ],
    [
      'a boundary error event that does not interrupt',
      around(service('t'), end('e'), boundary('b', 't', error('OWN'), { interrupting: false }), chain('b', 'e')),
      ['BOUNDARY_EVENT b'],
    ],
    [
      'two catchers of one error',
      around(
        service('t'),
        end('e'),
        boundary('b', 't', error('OWN')),
        boundary('c', 't', error('OWN')),
        chain('b', 'e'),
        chain('c', 'e'),
      ),
      ['DUPLICATE_CATCHER c'],
    ],
    [
      'two catchers of all errors',
      around(
        service('t'),
        end('e'),
        boundary('b', 't', error()),
        boundary('c', 't', error()),
        chain('b', 'e'),
        chain('c', 'e'),
      ),
      ['DUPLICATE_CATCHER c'],
    ],
    [
      'an event sub-process with a plain start event',
      around(eventSubProcess('esp', [start('x')])),
      ['UNSUPPORTED_EVENT x'],
    ],
    [
      'an event sub-process with two start events',
      around(eventSubProcess('esp', [start('x', message('paid')), start('y', message('paid'))])),
      ['EVENT_SUB_PROCESS esp'],
    ],
    [
      'an event sub-process in the flow',
      around(eventSubProcess('esp', [start('x', message('paid'))]), chain('s', 'esp')),
      ['EVENT_SUB_PROCESS esp'],
    ],
    [
      'an event gateway with one event',
      around(gateway('eventBased', 'g'), catchEvent('c', message('paid')), chain('s', 'g', 'c')),
      ['GATEWAY g'],
    ],
    [
      'an event gateway before a task',
      around(
        gateway('eventBased', 'g'),
        catchEvent('c', message('paid')),
        task('t'),
        chain('s', 'g', 'c'),
        chain('g', 't'),
      ),
      ['GATEWAY g_t'],
    ],
    [
      'an event behind an event gateway that another flow leads to',
      around(
        gateway('eventBased', 'g'),
        catchEvent('c', message('paid')),
        catchEvent('d', message('paid')),
        chain('s', 'g', 'c'),
        chain('g', 'd'),
        chain('s', 'd'),
      ),
      ['GATEWAY g_d'],
    ],
    [
      'a loop in which nothing happens',
      around(
        gateway('exclusive', 'm'),
        task('t'),
        gateway('exclusive', 'x', 'm'),
        end('e'),
        chain('s', 'm', 't', 'x', 'm'),
        flow('x', 'e', '=n > 1'),
      ),
      ['STRAIGHT_THROUGH_LOOP m'],
    ],
    // Settings of elements
    [
      'a condition behind a task',
      around(task('t'), end('e'), chain('s', 't'), flow('t', 'e', '=true')),
      ['CONDITION t_e'],
    ],
    [
      'a condition that is missing',
      around(gateway('exclusive', 'g'), end('a'), end('b'), chain('s', 'g', 'a'), flow('g', 'b', '=true')),
      ['CONDITION g_a'],
    ],
    [
      'a condition that is no FEEL',
      around(gateway('exclusive', 'g'), end('a'), chain('s', 'g'), flow('g', 'a', '=1 +')),
      ['EXPRESSION g_a'],
    ],
    ['an input that is no FEEL', around(service('t', { in: { a: '=1 +' } })), ['EXPRESSION t']],
    ['an output without "="', around(service('t', { out: { a: 'counts' } })), ['MAPPING t']],
    ['a mapping without target', around(service('t', { in: { '': '=1' } })), ['MAPPING t']],
    [
      'a mapping to what no variable can be called',
      around(service('t', { in: { 'a-b': '=1', ['__proto__']: '=1', null: '=1' }, out: { 'a..b': '=1' } })),
      ['MAPPING t', 'MAPPING t', 'MAPPING t', 'MAPPING t'],
    ],
    [
      'inputs of an event',
      around(
        '<endEvent id="e"><extensionElements><zeebe:ioMapping><zeebe:input source="=1" target="a"/></zeebe:ioMapping></extensionElements></endEvent>',
      ),
      ['MAPPING e'],
    ],
    ['a timer without time', around(catchEvent('t', '<timerEventDefinition/>')), ['TIMER t']],
    ['a timer that is no time', around(catchEvent('t', timer('duration', '1 hour'))), ['TIMER t']],
    ['a cycle where something waits once', around(catchEvent('t', timer('cycle', 'R/PT1H'))), ['TIMER t']],
    ['a duration to start a process', file([start('t', timer('duration', 'PT1H'))]), ['TIMER t']],
    ['a cron expression', file([start('t', timer('cycle', '0 0 * * *'))]), ['TIMER t']],
    ['a message event without message', around(catchEvent('m', '<messageEventDefinition/>')), ['MESSAGE m']],
    ['a message without correlation key', around(catchEvent('m', message('go'))), ['MESSAGE m']],
    [
      'an error end event without code',
      around('<endEvent id="e"><errorEventDefinition/></endEvent>'),
      ['ERROR_CODE e'],
    ],
    ['an error end event with a code of the platform', around(errorEnd('e', 'SERVICE_FAILED')), ['ERROR_CODE e']],
    ['an error message that is no FEEL', around(errorEnd('e', 'OWN', 'text')), ['EXPRESSION e']],
    ['a service task without definition', around('<serviceTask id="t"/>'), ['SERVICE t']],
    ['a service task of another type', around(header('', 'http-call')), ['SERVICE t']],
    ['a service task without service', around(header('')), ['SERVICE t']],
    ['a service that is no uuid', around(header(headerOf('serviceId', 'max-cut'))), ['SERVICE t']],
    [
      'an application that is no uuid',
      around(header(headerOf('serviceId', serviceId) + headerOf('applicationId', 'mine'))),
      ['SERVICE t'],
    ],
    [
      'a version that is none',
      around(header(headerOf('serviceId', serviceId) + headerOf('serviceVersion', '1.0'))),
      ['SERVICE t'],
    ],
    [
      'a reserved name where an event sub-process returns it',
      around(eventSubProcess('esp', [start('es', error('OWN')), end('e', { errors: '=1' }), chain('es', 'e')])),
      ['ReservedOutputVariableException e'],
    ],
    ['a call activity without process', around('<callActivity id="c"/>'), ['CALLED_ELEMENT c']],
    ['a script without script', around('<scriptTask id="x"/>'), ['SCRIPT x']],
    ['a script without result', around(script('x', '', '=1')), ['SCRIPT x']],
    ['a loop without collection', around(service('t', { loop: { over: '' } })), ['MULTI_INSTANCE t']],
    [
      'a loop that collects without element',
      around(service('t', { loop: { over: '=a', into: 'b' } })),
      ['MULTI_INSTANCE t'],
    ],
    [
      'a Request Schema that is no JSON',
      file([start('s', '', { extensions: '<kethub:requestSchema>{</kethub:requestSchema>' })]),
      ['REQUEST_SCHEMA s'],
    ],
    [
      'a Request Schema that is no object',
      file([start('s', '', { extensions: '<kethub:requestSchema>[]</kethub:requestSchema>' })]),
      ['REQUEST_SCHEMA s'],
    ],
    [
      'a payload variable of a timer',
      around(
        service('t'),
        end('e'),
        boundary('b', 't', timer('duration', 'PT1H'), { extensions: '<kethub:payload variable="x"/>' }),
        chain('b', 'e'),
      ),
      ['PAYLOAD_VARIABLE b'],
    ],
    [
      'a process that is not executable',
      file([start('s')]).replace('isExecutable="true"', ''),
      ['NO_EXECUTABLE_PROCESS process'],
    ],
    [
      'what else is wrong in a process that is not executable',
      around('<userTask id="u"/>').replace('isExecutable="true"', ''),
      ['NO_EXECUTABLE_PROCESS process', 'UNSUPPORTED_ELEMENT u'],
    ],
  ])('%s', async (_, xml, problems) => expect(await refusals(xml)).toEqual(problems));
});

it('all problems of a file are reported at once, with what to do', async () => {
  const result = await parse(
    around('<userTask id="u"/>', '<serviceTask id="t"/>', catchEvent('c', timer('duration', 'soon'))),
  );
  expect(result).toMatchObject({
    problems: [
      {
        elementId: 'u',
        code: 'UNSUPPORTED_ELEMENT',
        message:
          'A user task is not run here. Nobody works on tasks and forms in this platform. Let the workflow wait for a message (a message event or a receive task), which the application of the person publishes.',
      },
      { elementId: 't', code: 'SERVICE', message: expect.stringContaining('platform-service') as string },
      { elementId: 'c', code: 'TIMER', message: expect.stringContaining('PT15M') as string, expression: 'soon' },
    ],
  });
});

it('attributes of a vendor whose namespace is the standard one of the file are ignored, those of nobody are not', async () => {
  const vendors = (attributes: string) => `<b:definitions xmlns:b="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:vendor="urn:vendor" xmlns="urn:vendor" targetNamespace="urn:vendor">
    <b:process id="p" vendor:version="1" isExecutable="true"><b:startEvent id="s" ${attributes}/></b:process></b:definitions>`;
  expect(await refusals(vendors('vendor:size="1"'))).toEqual([]);
  expect(await refusals(vendors('size="1"'))).toEqual(['UNKNOWN_CONTENT s']);
  expect(await refusals(vendors('size="1" vendor:size="1"'))).not.toEqual([]);
});

it('elements without id are named by what they are and connect', async () => {
  const flow = chain('g', 'e').replace('id="g_e" ', '');
  const result = await parse(around('<userTask/>', gateway('parallel', 'g'), end('e'), chain('s', 'g'), flow));
  expect('problems' in result ? result.problems.map(({ message }) => message) : []).toEqual([
    'A user task has no id. Give it one.',
    'A user task is not run here. Nobody works on tasks and forms in this platform. Let the workflow wait for a message (a message event or a receive task), which the application of the person publishes.',
    'A sequence flow from g to e has no id. Give it one.',
  ]);
});

describe('accepted', () => {
  it.each<[string, string]>([
    [
      'extension elements of other vendors',
      around(
        task('t').replace(
          '></task>',
          '><extensionElements xmlns:x="urn:x"><x:any y="1"><x:deep/></x:any></extensionElements></task>',
        ),
      ),
    ],
    [
      'data objects, text annotations and lanes',
      around(
        '<laneSet id="l"><lane id="la"><flowNodeRef>s</flowNodeRef></lane></laneSet>',
        '<dataObject id="d"/><textAnnotation id="a"><text>x</text></textAnnotation>',
      ),
    ],
    [
      'a loop that counts',
      around(
        gateway('exclusive', 'm'),
        script('x', 'n', '=n + 1'),
        gateway('exclusive', 'g', 'e'),
        end('e'),
        chain('s', 'm', 'x', 'g', 'e'),
        flow('g', 'm', '=n < 3'),
      ),
    ],
    [
      'what another process of the file has, when it is not executable',
      around().replace('</definitions>', '<process id="other"><userTask id="u"/></process></definitions>'),
    ],
  ])('%s', async (_, xml) => expect(await refusals(xml)).toEqual([]));
});
