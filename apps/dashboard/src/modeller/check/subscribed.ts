import { extensionOf, headerOf } from '../kit/edit.ts';
import type { CalledBy } from '../kit/services.ts';
import { text, type Kit, type Moddle } from '../kit/types.ts';
import type { Finding } from './protocol.ts';

/** Says that a task cannot call its service. The platform says the same with the ids of both. */
export const NOT_SUBSCRIBED =
  'The application of the workflow is not subscribed to the service of this task, or to its version. Subscribe it at the page of the service, or choose another application above.';
/** Says that a task has nobody as whom it calls its service. */
const NO_APPLICATION = 'The task calls a service, but the workflow has no application. Choose one above.';
const NOT_SUBSCRIBED_ITSELF =
  'The application of this task is not subscribed to its service, or to that version. Subscribe it at the page of the service, or choose another application at the task.';
const FOREIGN_APPLICATION =
  'The owner of the workflow has no such application as this task names. Choose another one at the task.';
const LATER = 'The file names many applications. Whether this one is subscribed is checked when the file is deployed.';

/** The id of a workflow service in the place of that of a process, and behind `@` its version. */
const WORKFLOW_SERVICE = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:@([\d.]+))?$/i;

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Applications of tasks whose services are read. Tasks of further ones are judged when the file is deployed. */
export const MOST_APPLICATIONS = 20;

interface Call {
  readonly serviceId: string;
  readonly version: string;
  /** The application that the task names; '' for that of the workflow. */
  readonly applicationId: string;
}

/** Applications that tasks name themselves, each once, in the order of the file; only ids that can exist. */
export function applicationsIn(kit: Kit): readonly string[] {
  const all = kit.service('elementRegistry').getAll();
  const ids = all.map(({ businessObject }) =>
    businessObject.$type === 'bpmn:ServiceTask' ? headerOf(businessObject, 'applicationId').trim() : '',
  );
  return [...new Set(ids.filter((id) => UUID.test(id)))];
}

/**
 * Problems of tasks whose services cannot be called: by the application of the workflow, or by that of the task. `own`
 * and `others` have what is known of applications.
 */
export function subscribedFindings(
  kit: Kit,
  applicationId: string | null,
  own: CalledBy,
  others: ReadonlyMap<string, CalledBy>,
): readonly Finding[] {
  const named = applicationsIn(kit);
  return kit
    .service('elementRegistry')
    .getAll()
    .flatMap(({ id: elementId, businessObject, labelTarget }): Finding[] => {
      const call = labelTarget || !isRun(businessObject) ? null : callOf(businessObject);
      if (call === null) return [];
      const isOutside = true;
      if (call.applicationId === '') {
        const message = applicationId === null ? NO_APPLICATION : isMissing(call, own) ? NOT_SUBSCRIBED : null;
        return message === null ? [] : [{ elementId, message, isWarning: false, isOutside }];
      }
      if (!UUID.test(call.applicationId))
        return [{ elementId, message: FOREIGN_APPLICATION, isWarning: false, isOutside }];
      const by = others.get(call.applicationId);
      if (by === undefined) {
        const isRead = named.indexOf(call.applicationId) < MOST_APPLICATIONS;
        return isRead ? [] : [{ elementId, message: LATER, isWarning: true }];
      }
      const message = by.isForeign ? FOREIGN_APPLICATION : isMissing(call, by) ? NOT_SUBSCRIBED_ITSELF : null;
      return message === null ? [] : [{ elementId, message, isWarning: false, isOutside }];
    });
}

function isMissing({ serviceId, version }: Call, { services, isKnown }: CalledBy): boolean {
  return isKnown && !services.some((one) => one.id === serviceId && (version === '' || one.version === version));
}

/** The service that an element calls, as a task or as a call activity; null for none. */
function callOf(moddle: Moddle): Call | null {
  if (moddle.$type === 'bpmn:ServiceTask') {
    const serviceId = headerOf(moddle, 'serviceId').trim();
    const [version, applicationId] = [headerOf(moddle, 'serviceVersion'), headerOf(moddle, 'applicationId')];
    return serviceId === '' ? null : { serviceId, version: version.trim(), applicationId: applicationId.trim() };
  }
  if (moddle.$type !== 'bpmn:CallActivity') return null;
  const called = text(extensionOf(moddle, 'zeebe:CalledElement'), 'processId').trim();
  const [, serviceId, version = ''] = WORKFLOW_SERVICE.exec(called) ?? [];
  return serviceId === undefined ? null : { serviceId, version, applicationId: '' };
}

/** Returns whether an element is in a process that is run; the others are pictures. */
function isRun(moddle: Moddle): boolean {
  let around: Moddle | undefined = moddle;
  while (around !== undefined && around.$type !== 'bpmn:Process') around = around.$parent;
  return around?.['isExecutable'] === true;
}
