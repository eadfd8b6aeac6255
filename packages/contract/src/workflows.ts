import { Type, type Static } from 'typebox';
import { Id, Request, Timestamp, Version, nullable, timestampPattern } from './fields.ts';
import { limits } from './limits.ts';

const ElementId = Type.String({ description: 'Id of a BPMN element.' });
const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

export const WorkflowProblem = Type.Object(
  {
    elementId: nullable('string', { description: 'Id of the BPMN element; null where none can be named.' }),
    code: Type.String(),
    message: Type.String(),
    expression: Type.Optional(Type.String({ description: 'The text of the expression that is wrong.' })),
  },
  { $id: 'WorkflowProblem', description: 'Reason why a workflow file cannot be deployed, and its place.' },
);
export type WorkflowProblem = Static<typeof WorkflowProblem>;

/** Details of a version of a workflow service. */
export const WorkflowDetails = Type.Object(
  {
    processId: nullable('string'),
    applicationId: nullable('string', {
      description: 'As which tasks call services that name no application themselves.',
    }),
    problems: Type.Array(WorkflowProblem, { description: 'A version with problems is saved, and cannot be deployed.' }),
    warnings: Type.Array(WorkflowProblem, {
      description: 'Probable mistakes that are no reason to refuse it, such as a variable that nothing defines.',
    }),
    services: Type.Array(
      Type.Object({
        elementId: ElementId,
        serviceId: Id,
        serviceVersion: nullable('string'),
        applicationId: nullable('string'),
      }),
      { description: 'Services that its tasks call.' },
    ),
    messages: Type.Array(Type.Object({ elementId: ElementId, name: Type.String(), starts: Type.Boolean() }), {
      description: 'Messages that it waits for, or that start it.',
    }),
    signals: Type.Array(Type.Object({ elementId: ElementId, name: Type.String(), starts: Type.Boolean() }), {
      description: 'Signals that it waits for, and that start it.',
    }),
  },
  { $id: 'WorkflowDetails' },
);
export type WorkflowDetails = Static<typeof WorkflowDetails>;

export const WorkflowApplicationRequest = Request(
  { applicationId: nullable('string', { description: 'An application of the same owner, or null.' }) },
  { $id: 'WorkflowApplicationRequest' },
);

/** The envelope of a workflow's error, as the specification defines it. */
export const WorkflowError = Type.Object(
  {
    errorCode: Type.String(),
    failedElement: ElementId,
    message: Type.String({ minLength: 1 }),
    serviceId: Type.Optional(Type.String()),
    applicationId: Type.Optional(Type.String()),
    response: Type.Optional(Type.Unknown()),
  },
  { $id: 'WorkflowError' },
);

export const WorkflowIncident = Type.Object(
  {
    serviceId: Type.Optional(Id),
    version: Type.Optional(Version),
    executionId: Id,
    instanceId: Id,
    incident: Type.Integer({ description: 'Its number within the instance.' }),
    processId: Type.String(),
    elementId: ElementId,
    elementName: nullable('string'),
    type: Type.String(),
    at: Timestamp,
    error: WorkflowError,
    remedy: Type.Optional(Type.String({ description: 'Steps to take before it is tried again.' })),
    variables: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
  },
  {
    $id: 'WorkflowIncident',
    description:
      'A failure that keeps an instance from going on, with its element and the variables that the element sees.',
  },
);
export type WorkflowIncident = Static<typeof WorkflowIncident>;

export const WorkflowIncidentGroup = Type.Object(
  {
    serviceId: Id,
    serviceName: Type.String(),
    version: Version,
    elementId: ElementId,
    elementName: nullable('string'),
    type: Type.String(),
    errorCode: Type.String(),
    incidents: Type.Integer({ minimum: 1 }),
    instances: Type.Integer({ minimum: 1 }),
    firstAt: Timestamp,
    lastAt: Timestamp,
    newest: WorkflowIncident,
  },
  {
    $id: 'WorkflowIncidentGroup',
    description: 'Open incidents with one cause: the same error at the same element of one version.',
  },
);
export type WorkflowIncidentGroup = Static<typeof WorkflowIncidentGroup>;

const incidentFilter = {
  version: Type.Optional(Version),
  elementId: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameLength })),
  errorCode: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameLength })),
};

/** Members by which open incidents are chosen. */
export const IncidentFilter = Type.Object({ serviceId: Type.Optional(Id), ...incidentFilter });
export type IncidentFilter = Static<typeof IncidentFilter>;

export const RetryIncidentsRequest = Request(
  { serviceId: Id, ...incidentFilter, variables: Type.Optional(AnyObject) },
  {
    $id: 'RetryIncidentsRequest',
    description: 'Open incidents of a workflow to be tried again, and the variables to be corrected first in each.',
  },
);
export type RetryIncidentsRequest = Static<typeof RetryIncidentsRequest>;

export const RetryIncidentsReceipt = Type.Object(
  {
    retried: Type.Integer({ minimum: 0, description: `At most ${limits.workflowIncidentRetries}, the oldest ones.` }),
    foreign: Type.Integer({
      minimum: 0,
      description: 'Left alone, because variables are given and the instance was started for somebody else.',
    }),
    isLeft: Type.Boolean({ description: 'True if more match: repeat the request when these are done.' }),
  },
  { $id: 'RetryIncidentsReceipt' },
);
export type RetryIncidentsReceipt = Static<typeof RetryIncidentsReceipt>;

/** Counts of the instances of a workflow. */
export const WorkflowInstanceCounts = Type.Object(
  {
    counted: Type.Integer({
      minimum: 0,
      description: `The newest instances are counted, at most ${limits.countedRows}.`,
    }),
    isPartial: Type.Boolean({ description: 'True if there are more instances than were counted.' }),
    phases: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'Number of instances in each phase.',
    }),
    withIncidents: Type.Integer({ minimum: 0, description: 'Those that stand still, also in what they have called.' }),
  },
  { $id: 'WorkflowInstanceCounts' },
);
export type WorkflowInstanceCounts = Static<typeof WorkflowInstanceCounts>;

export const workflowPhases = ['NEW', 'RUNNING', 'COMPLETED', 'CANCELLED', 'ERROR'] as const;

export const WorkflowInstance = Type.Object(
  {
    id: Id,
    executionId: Id,
    parentId: nullable('string'),
    serviceId: Type.Optional(Id),
    version: Type.Optional(Version),
    processId: nullable('string'),
    phase: Type.Enum([...workflowPhases]),
    incidents: Type.Integer({ description: 'Its own open incidents.' }),
    childIncidents: Type.Integer({
      description: 'Open incidents of what its call activities have started, and of what that calls.',
    }),
    createdAt: Timestamp,
    endedAt: Type.Optional(Timestamp),
  },
  {
    $id: 'WorkflowInstance',
    description: 'An execution of a workflow, or what one of its call activities has started.',
  },
);
export type WorkflowInstance = Static<typeof WorkflowInstance>;

export const WorkflowActivity = Type.Object({
  element: Type.Integer({ description: 'Key of the element instance.' }),
  elementId: ElementId,
  scope: Type.Integer(),
  phase: Type.String(),
  loopCounter: Type.Optional(Type.Integer()),
  job: Type.Optional(
    Type.Object(
      { executionId: Id, state: Type.String(), attempts: Type.Integer() },
      { description: 'The execution that it waits for.' },
    ),
  ),
  childInstanceId: Type.Optional(
    Type.String({ format: 'uuid', description: 'The instance that a call activity has started.' }),
  ),
  childIncidents: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Open incidents of what it has started, and of what that calls.' }),
  ),
  due: Type.Optional(Timestamp),
  message: Type.Optional(Type.Object({ name: Type.String(), correlationKey: Type.String() })),
  signal: Type.Optional(Type.Object({ name: Type.String() }, { description: 'The signal that it waits for.' })),
});

export const WorkflowInstanceDetails = Type.Object(
  {
    ...WorkflowInstance.properties,
    activities: Type.Array(WorkflowActivity, { description: 'Elements that are active or wait.' }),
    openIncidents: Type.Array(WorkflowIncident),
    children: Type.Array(WorkflowInstance, {
      description: 'Instances that its call activities have started, newest first; at most 100.',
    }),
    warnings: Type.Array(
      Type.Object({
        elementId: ElementId,
        expression: Type.String(),
        code: Type.String(),
        message: Type.String(),
      }),
      { description: 'Warnings of expressions, such as a variable that is not there: each once, at most 20.' },
    ),
    variables: AnyObject,
  },
  { $id: 'WorkflowInstanceDetails' },
);
export type WorkflowInstanceDetails = Static<typeof WorkflowInstanceDetails>;

const WorkflowScope = Type.Object({
  element: Type.Integer({ description: 'Key of the element instance.' }),
  elementId: ElementId,
  elementName: nullable('string'),
  scope: Type.Integer({ description: 'Key of the element instance that contains it; 0 for the process.' }),
  loopCounter: Type.Optional(Type.Integer({ description: 'Its number in a loop, from 1.' })),
  variables: AnyObject,
});
export type WorkflowScope = Static<typeof WorkflowScope>;

export const WorkflowVariables = Type.Object(
  {
    step: Type.Integer({
      minimum: 0,
      description: 'Number of the entry of the journal after which they are as shown.',
    }),
    scopes: Type.Array(WorkflowScope, {
      description: `The process, and the open elements that have variables of their own; at most ${limits.workflowScopes}, the oldest.`,
    }),
    isPartial: Type.Boolean({ description: 'True if there are more scopes than are shown.' }),
  },
  {
    $id: 'WorkflowVariables',
    description: 'The variables of an instance, scope by scope, now or after an earlier step.',
  },
);
export type WorkflowVariables = Static<typeof WorkflowVariables>;

export const WorkflowJournalEntry = Type.Object(
  { seq: Type.Integer(), at: Timestamp, type: Type.String() },
  { $id: 'WorkflowJournalEntry', additionalProperties: true, description: 'One thing that an instance did.' },
);

export const WorkflowSchedule = Type.Object(
  {
    elementId: ElementId,
    version: Version,
    nextAt: Type.Optional(
      Type.String({
        pattern: timestampPattern,
        description: 'When it is to start an instance. Absent: not known, or stopped.',
      }),
    ),
    failures: Type.Integer({
      minimum: 0,
      description: 'Number of times in a row that it could not start an instance.',
    }),
    failure: nullable('string', { description: 'Reason why it could not the last time; null when it could.' }),
    stoppedAt: Type.Optional(
      Type.String({
        pattern: timestampPattern,
        description: 'Since when it is stopped, after 20 failures in a row: mend the cause, then try it again.',
      }),
    ),
  },
  { $id: 'WorkflowSchedule', description: 'A timer start event of the deployed version of a workflow service.' },
);
export type WorkflowSchedule = Static<typeof WorkflowSchedule>;

export const RetryIncidentRequest = Request(
  { variables: Type.Optional(AnyObject) },
  {
    $id: 'RetryIncidentRequest',
    description:
      'Variables that are corrected first. Each is written to the nearest scope that has one of its name, from the element that failed outwards, else to the process.',
  },
);

export const WorkflowMessageRequest = Request(
  {
    name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
    correlationKey: Type.Optional(Type.String({ maxLength: limits.nameLength, default: '' })),
    variables: Type.Optional(AnyObject),
    messageId: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameLength })),
    timeToLiveSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.workflowMessageKeepMs / 1000,
        default: 3600,
        description: 'For so long it waits for an instance that wants it.',
      }),
    ),
  },
  {
    $id: 'WorkflowMessageRequest',
    description:
      'A message for instances that wait for one of this name and correlation key, or for a start event of this name.',
  },
);
export type WorkflowMessageRequest = Static<typeof WorkflowMessageRequest>;

export const messageOutcomes = ['STARTED', 'DELIVERED', 'WAITING', 'OTHER_KEY', 'KEY_ACTIVE', 'UNKNOWN_NAME'] as const;

export const WorkflowMessageReceipt = Type.Object(
  {
    id: Id,
    name: Type.String(),
    correlationKey: Type.String(),
    started: Type.Array(Id, { description: 'Executions that it has started.' }),
    delivered: Type.Integer({ minimum: 0, description: 'Number of waiting instances that have received it.' }),
    expiresAt: Type.Optional(
      Type.String({ pattern: timestampPattern, description: 'Until when it waits. Absent: it was delivered.' }),
    ),
    outcome: Type.Enum([...messageOutcomes], {
      description:
        'STARTED and DELIVERED: an instance got it; otherwise it waits. WAITING: nobody waits for the name now. OTHER_KEY: instances wait for the name with other correlation keys. KEY_ACTIVE: an instance that was started with this key is active, and no second one is started. UNKNOWN_NAME: no version of the workflow has the name.',
    }),
    detail: Type.String({ description: 'The same as a sentence.' }),
  },
  { $id: 'WorkflowMessageReceipt', description: 'Outcome of a message.' },
);
export type WorkflowMessageReceipt = Static<typeof WorkflowMessageReceipt>;

export const WorkflowSignalRequest = Request(
  {
    name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
    variables: Type.Optional(AnyObject),
  },
  {
    $id: 'WorkflowSignalRequest',
    description: 'A signal for every event that waits for its name now, and for start events of its name.',
  },
);
export type WorkflowSignalRequest = Static<typeof WorkflowSignalRequest>;

export const WorkflowSignalReceipt = Type.Object(
  {
    id: Id,
    name: Type.String(),
    waiting: Type.Integer({
      minimum: 0,
      maximum: limits.workflowSignalCount,
      description: `Number of waiting events that receive it. ${limits.workflowSignalCount} stands for as many or more.`,
    }),
    starting: Type.Integer({
      minimum: 0,
      description: 'Number of start events for which a worker starts an instance; at the address of a subscription, 0.',
    }),
    started: Type.Array(Id, {
      description: 'Executions that it has started, at the address of a subscription.',
    }),
  },
  { $id: 'WorkflowSignalReceipt', description: 'Events and instances that a signal reaches.' },
);
export type WorkflowSignalReceipt = Static<typeof WorkflowSignalReceipt>;
