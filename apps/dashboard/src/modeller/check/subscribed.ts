import { headerOf } from '../kit/edit.ts';
import type { CallableService } from '../kit/services.ts';
import type { Kit } from '../kit/types.ts';
import type { Finding } from './protocol.ts';

/** Says that a task cannot call its service. The platform says the same with the ids of both. */
export const NOT_SUBSCRIBED =
  'The application of the workflow is not subscribed to the service of this task, or to its version. Subscribe it at the page of the service, or choose another application above.';
/** Says that a task has nobody as whom it calls its service. */
const NO_APPLICATION = 'The task calls a service, but the workflow has no application. Choose one above.';

/** Problems of tasks whose services the application of the workflow cannot call. `services` is null while unknown. */
export function subscribedFindings(
  kit: Kit,
  applicationId: string | null,
  services: readonly CallableService[] | null,
): readonly Finding[] {
  return kit
    .service('elementRegistry')
    .getAll()
    .flatMap(({ id: elementId, type, businessObject }): Finding[] => {
      const serviceId = type === 'bpmn:ServiceTask' ? headerOf(businessObject, 'serviceId') : '';
      // Another application may be subscribed to other services.
      if (serviceId === '' || headerOf(businessObject, 'applicationId') !== '') return [];
      const found = services?.find(({ id }) => id === serviceId);
      const version = headerOf(businessObject, 'serviceVersion');
      const isMissing = found === undefined || (version !== '' && version !== found.version);
      const message = applicationId === null ? NO_APPLICATION : services !== null && isMissing ? NOT_SUBSCRIBED : null;
      return message === null ? [] : [{ elementId, message, isWarning: false, isOutside: true }];
    });
}
