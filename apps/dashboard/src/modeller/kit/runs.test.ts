import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse } from '@kethub/workflow';
import { expect, test } from 'vitest';
import { file } from '@kethub/workflow/testing/xml';
import { BOUNDARIES, KINDS, runs } from './runs.ts';

/** An entry of the menu of bpmn-js that changes an element. */
interface Entry {
  readonly actionName: string;
  readonly target?: Target;
}
interface Target {
  readonly type: string;
  readonly eventDefinitionType?: string;
  readonly triggeredByEvent?: boolean;
  readonly isInterrupting?: boolean;
  readonly cancelActivity?: boolean;
}

/** The lists of the installed bpmn-js. Its modules import one another without endings, which Node does not follow. */
const lists = await (async (): Promise<Readonly<Record<string, readonly Entry[]>>> => {
  const root = path.dirname(createRequire(import.meta.url).resolve('bpmn-js/package.json'));
  const read = (name: string): string => readFileSync(path.join(root, 'lib/features', name), 'utf8');
  const text = read('popup-menu/PopupEntries.js') + read('replace/ReplaceOptions.js').replace(/^import .*$/m, '');
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Record<string, readonly Entry[]>;
})();

/** Lists whose entries are put onto a border, or into an event sub-process. */
const PARENTS: Readonly<Record<string, (element: string) => string>> = {
  BOUNDARY_EVENT: (element) => `<subProcess id="host"><startEvent id="in"/><endEvent id="out"/></subProcess>${element}`,
  EVENT_SUB_PROCESS_START_EVENT: (element) => `<subProcess id="around" triggeredByEvent="true">${element}</subProcess>`,
};

/** Definitions with what each of them needs. */
const DEFINITIONS: Readonly<Record<string, string>> = {
  Message: '<messageEventDefinition messageRef="message_m"/>',
  Signal: '<signalEventDefinition signalRef="signal_s"/>',
  Error: '<errorEventDefinition errorRef="error_E"/>',
  Escalation: '<escalationEventDefinition escalationRef="escalation_e"/>',
  Timer: '<timerEventDefinition><timeDuration xsi:type="tFormalExpression">PT1S</timeDuration></timerEventDefinition>',
  Conditional:
    '<conditionalEventDefinition><condition xsi:type="tFormalExpression">=true</condition></conditionalEventDefinition>',
  Link: '<linkEventDefinition name="link"/>',
};

function xmlOf({ type, eventDefinitionType = '', ...target }: Target): string {
  const tag = type.replace('bpmn:', '');
  const kind = eventDefinitionType.replace('bpmn:', '').replace('EventDefinition', '');
  const definition =
    kind === '' ? '' : (DEFINITIONS[kind] ?? `<${kind.charAt(0).toLowerCase()}${kind.slice(1)}EventDefinition/>`);
  const attributes = ['triggeredByEvent', 'isInterrupting', 'cancelActivity'].flatMap((name) => {
    const value = target[name as keyof typeof target];
    return value === undefined ? [] : [` ${name}="${value}"`];
  });
  const host = tag === 'BoundaryEvent' ? ' attachedToRef="host"' : '';
  const name = `${tag.charAt(0).toLowerCase()}${tag.slice(1)}`;
  return `<${name} id="x"${host}${attributes.join('')}>${definition}</${name}>`;
}

/** Returns whether the platform refuses the element for what it is; what is only incomplete does not count. */
async function isRefused(target: Target, list: string): Promise<boolean> {
  const inParent = PARENTS[list] ?? ((element: string) => element);
  const xml = file(['<startEvent id="s"/>', inParent(xmlOf(target))], {
    messages: { m: '=k' },
    signals: ['s'],
    errors: ['E'],
  }).replace('<process', '<escalation id="escalation_e" escalationCode="e"/><process');
  const parsed = await parse(xml);
  const problems = 'problems' in parsed ? parsed.problems : [];
  return problems.some(({ elementId, code }) => elementId === 'x' && code.startsWith('UNSUPPORTED'));
}

const ALL = Object.entries(lists).flatMap(([list, entries]) =>
  Array.isArray(entries)
    ? (entries as readonly Entry[]).flatMap(({ actionName, target }) =>
        target && !/data-|pool/.test(actionName) ? [{ list, actionName, target }] : [],
      )
    : [],
);

test('the menu of bpmn-js is the one that is known here', () => expect(ALL.length).toBeGreaterThan(70));

test.each(ALL)('$list: $actionName is offered if it runs, and only then', async ({ list, actionName, target }) =>
  expect(runs(actionName)).toBe(!(await isRefused(target, list))),
);

test.each([...KINDS, ...BOUNDARIES])('$name of palette and outline runs', async ({ shape }) => {
  const target = shape as unknown as Target;
  const list = target.type === 'bpmn:BoundaryEvent' ? 'BOUNDARY_EVENT' : '';
  expect(await isRefused(target, list)).toBe(false);
});
