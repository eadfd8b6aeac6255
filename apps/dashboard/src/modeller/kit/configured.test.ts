import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from '@kethub/workflow';
import { file } from '@kethub/workflow/testing/xml';
import { BpmnModdle } from 'bpmn-moddle';
import { describe, expect, test } from 'vitest';
import { mappingsAt } from './mappings-at.ts';
import type { Moddle } from './types.ts';

const HERE = import.meta.dirname;
const textOf = (folder: string, pattern: string): string =>
  globSync(pattern, { cwd: folder })
    .filter((name) => !name.includes('.test.'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
const PARSER = textOf(path.resolve(HERE, '../../../../../packages/workflow/src/bpmn'), '*.ts');
const MODELLER = textOf(path.resolve(HERE, '..'), '{inspector,kit,outline}/**/*.{ts,tsx}');

/** Members that the parser reads and no field sets, and why. */
const NOT_SET: Readonly<Record<string, string>> = {
  eventDefinitionRef: 'refused',
  instantiate: 'refused when true',
  isForCompensation: 'refused when true',
  'zeebe:Properties': 'has no effect',
  'zeebe:VersionTag': 'has no effect',
  'zeebe:UserTaskForm': 'has no effect',
};

/** Members of elements and extensions that the parser reads. */
function membersRead(): readonly string[] {
  const calls = /\b(?:text|flag|child|children|attribute|header|extension|extensions)\((?:[\w.]+, )?'([\w:]+)'/g;
  const extensions = /'((?:zeebe|kethub):\w+)'/g;
  const headers = /ownHeaders = new Set\(\[([^\]]+)\]/.exec(PARSER)?.[1] ?? '';
  const all = [calls, extensions].flatMap((pattern) => [...PARSER.matchAll(pattern)].map(([, name = '']) => name));
  return [...new Set([...all, ...[...headers.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)])].toSorted();
}

test('every member that the parser reads is set by the modeller, or has a reason', () => {
  const read = membersRead();
  expect(read.length).toBeGreaterThan(50);
  expect(read).toEqual(expect.arrayContaining(['applicationId', 'retryBackoff', 'kethub:Payload', 'isSequential']));
  const missing = read.filter((name) => !new RegExp(`\\b${name}\\b`).test(MODELLER));
  expect(missing).toEqual(
    Object.keys(NOT_SET)
      .filter((name) => read.includes(name))
      .toSorted(),
  );
});

const SIGNAL = '<signalEventDefinition signalRef="signal_s"/>';
const MESSAGE = '<messageEventDefinition messageRef="message_m"/>';
const ERROR = '<errorEventDefinition errorRef="error_E"/>';
const TIMER =
  '<timerEventDefinition><timeDuration xsi:type="tFormalExpression">PT1S</timeDuration></timerEventDefinition>';
const ESCALATION = '<escalationEventDefinition escalationRef="escalation_e"/>';
const HOST = '<subProcess id="host"><startEvent id="in"/><endEvent id="out"/></subProcess>';
const element = (name: string, inside = '', attributes = '', before = ''): readonly [string, string] => [
  `${name} ${inside.slice(1, 12)}${attributes}`,
  `${before}<${name} id="x" ${attributes}><extensionElements>MAPPING</extensionElements>${inside}</${name}>`,
];
const events = (name: string, definitions: readonly string[], attributes = '', before = '') =>
  definitions.map((definition) => element(name, definition, attributes, before));

const ELEMENTS = [
  ...['task', 'manualTask', 'scriptTask', 'serviceTask', 'receiveTask', 'callActivity', 'subProcess'].map((name) =>
    element(name),
  ),
  element('subProcess', '', 'triggeredByEvent="true"'),
  ...events('startEvent', ['', MESSAGE, SIGNAL]),
  ...events('endEvent', ['', MESSAGE, SIGNAL, ERROR, ESCALATION, '<terminateEventDefinition/>']),
  ...events('intermediateThrowEvent', ['', MESSAGE, SIGNAL, ESCALATION, '<linkEventDefinition name="l"/>']),
  ...events('intermediateCatchEvent', [MESSAGE, SIGNAL, TIMER]),
  ...events('boundaryEvent', [MESSAGE, SIGNAL, TIMER, ERROR, ESCALATION], 'attachedToRef="host"', HOST),
];

/** The library, whose declaration asks for packages that nothing here has. */
const Moddles = BpmnModdle as unknown as new () => {
  fromXML(xml: string): Promise<{ readonly elementsById: Readonly<Record<string, Moddle>> }>;
};

describe.each(ELEMENTS)('%s', (_, xml) => {
  test.each(['inputs', 'outputs'] as const)(
    'its %s can be set where the platform takes them, and only there',
    async (side) => {
      const tag = side === 'inputs' ? 'input' : 'output';
      const mapped = xml.replace(
        'MAPPING',
        `<zeebe:ioMapping><zeebe:${tag} source="=1" target="one"/></zeebe:ioMapping>`,
      );
      const whole = file(['<startEvent id="s"/>', mapped], {
        messages: { m: '=k' },
        signals: ['s'],
        errors: ['E'],
      }).replace('<process', '<escalation id="escalation_e" escalationCode="e"/><process');
      const parsed = await parse(whole);
      const problems = 'problems' in parsed ? parsed.problems : [];
      const isRefused = problems.some(({ elementId, code }) => elementId === 'x' && code === 'MAPPING');
      const { elementsById } = await new Moddles().fromXML(whole);
      expect(mappingsAt(elementsById['x'] as Moddle)[side]).toBe(!isRefused);
    },
  );
});
