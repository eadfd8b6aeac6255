import {
  toTimestamp,
  type WorkflowIncident,
  type WorkflowInstance,
  type WorkflowInstanceDetails,
} from '@kethub/contract';
import { type ElementInstance, type Incident, type Node, type OpenSubscription, type State } from '@kethub/workflow';
import type { InstanceRow, Owner } from './queries.ts';

export function presentInstance(row: InstanceRow): WorkflowInstance {
  return {
    id: row.id,
    executionId: row.execution_id,
    parentId: row.parent_id,
    serviceId: row.service_id,
    version: row.version,
    processId: row.process_id ?? row.main_process_id,
    phase: row.phase,
    incidents: row.incidents,
    childIncidents: row.child_incidents,
    createdAt: toTimestamp(row.created_at),
    ...(row.ended_at !== null && { endedAt: toTimestamp(row.ended_at) }),
  };
}

/** The owner for whom an instance was started. */
type Starter = Pick<InstanceRow, 'owner_type' | 'owner_id'>;

/** The instance of an incident. */
type IncidentSource = Starter &
  Pick<InstanceRow, 'service_id' | 'version' | 'execution_id' | 'process_id' | 'main_process_id'> & {
    readonly instance_id: string;
  };

/**
 * Returns whether the instance was started for the owner of the workflow. Of other instances, a provider sees neither
 * input nor results.
 */
export function isOwn({ owner_type, owner_id }: Starter, { type, id }: Owner): boolean {
  return owner_type === type && owner_id === id;
}

/** An open incident, from a state or from its row. */
export interface OpenIncident {
  readonly incident: number;
  readonly elementId: string;
  readonly type: string;
  readonly at: number;
  readonly error: Incident['error'];
}

/**
 * `element`: the element of the workflow. Variables and answers of services are data of whoever started the instance.
 */
export function presentIncident(
  row: IncidentSource,
  owner: Owner,
  incident: OpenIncident,
  element: Node | undefined,
): WorkflowIncident {
  return {
    serviceId: row.service_id,
    version: row.version,
    executionId: row.execution_id,
    instanceId: row.instance_id,
    incident: incident.incident,
    processId: row.process_id ?? row.main_process_id ?? '',
    elementId: incident.elementId,
    elementName: element?.name ?? null,
    type: incident.type,
    at: toTimestamp(incident.at),
    ...remedyOf(incident, element),
    error: isOwn(row, owner) ? incident.error : withoutData(incident.error),
  };
}

/** Hides the message as well: it contains values. */
function withoutData({ response: _response, ...error }: Incident['error']): WorkflowIncident['error'] {
  return {
    ...error,
    message: 'The message is shown to the caller who started the workflow, because it may hold their data.',
  };
}

interface JobOfInstance {
  readonly id: string;
  readonly job: number;
  readonly state: string;
  readonly attempts: number;
}

/**
 * The active and waiting elements of an instance. Of an instance of somebody else, awaited messages are hidden: their
 * keys are data of its starter.
 */
export function presentActivities(
  state: State,
  jobs: readonly JobOfInstance[],
  children: readonly Pick<InstanceRow, 'id' | 'parent_child'>[],
  own: boolean,
): WorkflowInstanceDetails['activities'] {
  const timers = Map.groupBy(state.timers.values(), (one) => one.element);
  const subscriptions = Map.groupBy(state.subscriptions.values(), (one) => one.element);
  const running = new Map(jobs.map((one) => [one.job, one]));
  const called = new Map(children.map((one) => [one.parent_child, one.id]));
  return [...state.elements.values()]
    .filter(({ scope }) => scope !== 0)
    .map((element: ElementInstance) => {
      const job = element.job === undefined ? undefined : running.get(element.job);
      const child = element.child === undefined ? undefined : called.get(element.child);
      const [timer] = timers.get(element.key) ?? [];
      const [awaited] = subscriptions.get(element.key) ?? [];
      return {
        element: element.key,
        elementId: element.elementId,
        scope: element.scope,
        phase: element.phase,
        ...(element.loopCounter !== undefined && { loopCounter: element.loopCounter }),
        ...(job && { job: { executionId: job.id, state: job.state, attempts: job.attempts } }),
        ...(child !== undefined && { childInstanceId: child }),
        ...(element.childErrors?.length && { childIncidents: element.childErrors.length }),
        ...(timer && { due: toTimestamp(timer.due) }),
        ...(awaited && own && presentSubscription(awaited)),
      };
    });
}

function presentSubscription(awaited: OpenSubscription): object {
  if ('signalName' in awaited) return { signal: { name: awaited.signalName } };
  return { message: { name: awaited.messageName, correlationKey: awaited.correlationKey } };
}

/** The steps that repair the cause of an incident, where the platform knows them. */
function remedyOf({ type, error }: OpenIncident, node: Node | undefined): Pick<WorkflowIncident, 'remedy'> {
  if (type === 'PLATFORM_FAULT')
    return { remedy: 'Ask the operator for the cause. Once it is mended, try the incident again.' };
  if (type !== 'SERVICE_FAILED' || error.serviceId === undefined) return {};
  const steps = stepsOf(error.serviceId, error.applicationId, serviceVersionOf(node));
  return { remedy: steps.map((step, at) => `${at + 1}. ${step}`).join(' ') };
}

function stepsOf(serviceId: string, applicationId: string | undefined, version: string | null): string[] {
  const again = 'Try the incident again.';
  if (applicationId === undefined) return [`Mend the service ${serviceId}.`, again];
  const corrected = 'When the input was wrong, only try the incident again, with corrected variables.';
  if (version === null)
    return [
      corrected,
      `When the service ${serviceId} was wrong, publish a new version of it.`,
      `Subscribe the application ${applicationId} to that version: a task calls the newest version that its application is subscribed to.`,
      again,
    ];
  return [
    corrected,
    `When the service ${serviceId} was wrong, publish a new version of it, and subscribe the application ${applicationId} to that version.`,
    `The task names version ${version}, so this instance never calls another one. Name the new version in the task, or none, and publish a new version of the workflow.`,
    'Cancel this execution, and start the workflow again.',
  ];
}

/** The version that a service task names; null: the newest one. */
function serviceVersionOf(node: Node | undefined): string | null {
  return node?.kind === 'service' ? node.service.serviceVersion : null;
}
