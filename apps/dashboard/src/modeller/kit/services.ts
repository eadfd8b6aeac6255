import { mappingsOf, setExtension, setHeaders, setMappings } from './edit.ts';
import { together } from './together.ts';
import type { Member } from '../suggest/members.ts';
import type { Drawn, Kit } from './types.ts';

export const PLATFORM_SERVICE = 'platform-service';

/** A service that a workflow can call, with the names of its parameters. */
export interface CallableService {
  readonly id: string;
  readonly name: string;
  /** The version that the application of the workflow has subscribed to; null: it has not. */
  readonly version: string | null;
  /** True if this version is retired: its calls fail. */
  readonly isRetired?: boolean;
  readonly parameters: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly description: string;
  }[];
  /** Members of its result, as far as they are described. */
  readonly result: readonly Member[];
  /** A made-up result as JSON, to begin a rehearsal with. */
  readonly example: string;
}

/** The services that tasks can call as one application. */
export interface CalledBy {
  readonly services: readonly CallableService[];
  /** True when all of them are read. */
  readonly isKnown: boolean;
  /** True for an application that the owner of the workflow does not have. */
  readonly isForeign: boolean;
}

/** Makes a task call a service. Its own mappings stay; required parameters that have none get one of their name. */
export function callService(kit: Kit, element: Drawn, service: CallableService): void {
  const kept = mappingsOf(element.businessObject, 'input');
  const known = new Set(kept.map(({ target }) => target.split('.')[0]));
  const missing = service.parameters.filter(({ name, required }) => required && !known.has(name));
  const added = missing.map(({ name }) => ({ source: `=${name}`, target: name }));
  together(kit, () => {
    setExtension(kit, element, 'zeebe:TaskDefinition', { type: PLATFORM_SERVICE });
    setHeaders(kit, element, { serviceId: service.id });
    if (added.length > 0) setMappings(kit, element, 'input', [...kept, ...added]);
  });
}

/** A finished task for a service, to be put onto the canvas. */
export function taskOf(kit: Kit, service: CallableService): Drawn {
  const factory = kit.service('bpmnFactory');
  const required = service.parameters.filter((parameter) => parameter.required);
  const values = [
    factory.create('zeebe:TaskDefinition', { type: PLATFORM_SERVICE }),
    factory.create('zeebe:TaskHeaders', {
      values: [factory.create('zeebe:Header', { key: 'serviceId', value: service.id })],
    }),
    ...(required.length === 0
      ? []
      : [
          factory.create('zeebe:IoMapping', {
            inputParameters: required.map(({ name }) =>
              factory.create('zeebe:Input', { source: `=${name}`, target: name }),
            ),
          }),
        ]),
  ];
  const extensionElements = factory.create('bpmn:ExtensionElements', { values });
  const businessObject = factory.create('bpmn:ServiceTask', { name: service.name, extensionElements });
  (extensionElements as { $parent?: unknown }).$parent = businessObject;
  for (const value of values) (value as { $parent?: unknown }).$parent = extensionElements;
  return kit.service('elementFactory').createShape({ type: 'bpmn:ServiceTask', businessObject });
}
