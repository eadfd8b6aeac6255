import { describe, expect, it } from 'vitest';
import { parse } from '../parse.ts';
import { accepted, Instance, refusals } from '../testing/instance.ts';
import { boundary, chain, end, error, file, flow, script, service, start, task } from '../testing/xml.ts';

const plain = (...parts: readonly string[]) => file([start('s'), ...parts, end('e'), chain('s', 'x', 'e')]);
const messages = async (xml: string): Promise<string[]> => {
  const result = await parse(xml);
  return 'graph' in result ? [] : result.problems.map(({ message }) => message);
};

describe('what would be ignored is refused', () => {
  it.each(['completionQuantity="2"', 'startQuantity="3"'])('%s', async (attribute) => {
    expect(await refusals(plain(task('x').replace('<task', `<task ${attribute}`)))).toEqual(['UNSUPPORTED_ELEMENT x']);
  });

  it.each(['sendTask', 'businessRuleTask', 'userTask', 'adHocSubProcess', 'transaction', 'complexGateway'])(
    'a %s, with what to use instead',
    async (kind) => {
      const [message = ''] = await messages(plain(`<${kind} id="x"/>`));
      expect(message).toContain('is not run here.');
      expect(message).not.toContain('Use another element');
    },
  );

  it.each(['serviceId', 'applicationId', 'serviceVersion'])('a second task header %s', async (key) => {
    const header = `<zeebe:header key="${key}" value="01890000-0000-7000-8000-000000000001"/>`;
    const twice = service('x').replace('</zeebe:taskHeaders>', `${header}${header}</zeebe:taskHeaders>`);
    expect(await refusals(plain(twice))).toEqual(['SERVICE x']);
  });

  it.each([
    ['retries="0"', ''],
    ['retries="many"', ''],
    ['retries="3"', 'soon'],
    ['', 'PT1S'],
  ])('retries that cannot be: %s %s', async (retries, backoff) => {
    expect(await refusals(plain(retrying('x', retries, backoff)))).toEqual(['SERVICE x']);
  });
});

const retrying = (id: string, retries: string, backoff = '') =>
  service(id)
    .replace('type="platform-service"', `type="platform-service" ${retries}`)
    .replace(
      '</zeebe:taskHeaders>',
      `${backoff === '' ? '' : `<zeebe:header key="retryBackoff" value="${backoff}"/>`}</zeebe:taskHeaders>`,
    );

describe('retries of a service task', () => {
  it('raise the error after the last, with pauses that double', async () => {
    const instance = new Instance(await accepted(plain(retrying('x', 'retries="3"', 'PT10S'))));
    const began = instance.now;
    const pauses: number[] = [];
    for (let call = 1; call < 3; call++) {
      instance.fail('x');
      expect(instance.state.incidents).toEqual([]);
      instance.due('x');
      pauses.push((instance.now - began) / 1000);
    }
    expect(pauses).toEqual([10, 30]);
    instance.fail('x', { detail: 'still broken' });
    expect(instance.state.incidents[0]?.error).toMatchObject({
      errorCode: 'HUB_SERVICE_FAILED',
      message: 'still broken',
    });
    // Somebody mends it: as many calls again.
    instance.retry('x');
    instance.fail('x');
    instance.due('x');
    instance.succeed('x');
    expect(instance.state.phase).toBe('COMPLETED');
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('end with the task: nothing is called once a boundary event has interrupted it', async () => {
    const parts = [
      retrying('x', 'retries="2"'),
      boundary('b', 'x', '<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>'),
      flow('b', 'e'),
    ];
    const instance = new Instance(await accepted(plain(...parts)));
    instance.fail('x');
    instance.due('b');
    expect([instance.state.phase, Object.keys(instance.state.timers)]).toEqual(['COMPLETED', []]);
  });
});

describe('reasons', () => {
  it.each(['for', 'null', 'function', 'in'])('a word of FEEL as a name is reported as such: %s', async (word) => {
    const loop = { over: '=[1]', as: word };
    for (const part of [
      task('x', { in: { [word]: '=1' } }),
      script('x', word, '=1'),
      task('x', { loop }),
      task('x', { out: { [`a.${word}`]: '=1' } }),
    ])
      expect((await messages(plain(part)))[0]).toContain(`"${word}" is a word of FEEL`);
  });

  it('a position is reported once', async () => {
    const [message] = await messages(plain(script('x', 'y', '=1 +')));
    expect(message?.match(/column/g)).toHaveLength(1);
  });

  it('compensation is reported once', async () => {
    const parts = [
      task('x'),
      task('undo').replace('<task', '<task isForCompensation="true"'),
      boundary('b', 'x', '<compensateEventDefinition/>'),
    ];
    expect(await refusals(plain(...parts))).toEqual(['UNSUPPORTED_EVENT b']);
    expect(await refusals(plain(task('x'), parts[1] ?? ''))).toEqual(['UNSUPPORTED_ELEMENT undo']);
  });

  it('a problem of a file without a process has a position', async () => {
    const result = await parse(
      '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="u"/>',
    );
    expect(result).toMatchObject({ problems: [{ code: 'NO_EXECUTABLE_PROCESS', line: 1 }] });
  });
});

describe('what is no reason to refuse', () => {
  it('many namespaces', async () => {
    const many = Array.from({ length: 600 }, (_, index) => ` xmlns:a${index}="urn:${index}"`).join('');
    expect(await refusals(plain(task('x')).replace('<definitions', `<definitions${many}`))).toEqual([]);
  });

  it('documentation where a tool has put it', async () => {
    const words = '<documentation>words</documentation>';
    const xml = plain(task('x', { in: { a: '=1' }, out: { b: '=a' } }))
      .replace('<zeebe:ioMapping>', `<zeebe:ioMapping>${words}`)
      .replace('<extensionElements>', `<extensionElements>${words}`);
    const instance = new Instance(await accepted(xml));
    expect(instance.live.phase).toBe('COMPLETED');
    expect(instance.completed).toContain('x');
  });

  it('an error without a code: it catches every error', async () => {
    const parts = [service('x'), boundary('b', 'x', '<errorEventDefinition errorRef="any"/>'), flow('b', 'e')];
    const xml = plain(...parts).replace('<process ', '<error id="any" name="Any"/><process ');
    const instance = new Instance(await accepted(xml));
    instance.fail('x');
    expect(instance.completed).toContain('b');
    const twice = plain(...parts, boundary('c', 'x', error()), flow('c', 'e'));
    expect(await refusals(twice.replace('<process ', '<error id="any" name="Any"/><process '))).toEqual([
      'DUPLICATE_CATCHER c',
    ]);
  });
});

it('the message of a failed assert comes first', async () => {
  const instance = new Instance(
    await accepted(plain(script('x', 'y', '=assert(mispelt, 1 > 2, "The order is too small")'))),
  );
  expect(instance.state.incidents[0]?.error.message).toContain('(The order is too small)');
});
