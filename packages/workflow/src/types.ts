// The shapes between this package and whoever stores, advances and shows workflows.
//
// A workflow file is parsed once per deployed version (`parse`), which gives a `ProcessGraph` or located problems.
// An instance is a `State` (state/state.ts), which is kept as plain JSON: a `StoredState`, or parts of one. It changes only by
// `step(graph, state, event, env)`, which is pure: no clock, no randomness, no I/O. Work outside comes back as effects,
// to be recorded in the same transaction as the new state and carried out after it. Events report what happened
// outside. A long step can be stopped by `env.pauses`; `resume` goes on with it, before anything else happens.
//
// Events may be delivered twice and late. One that names a job, timer, subscription or child that is no longer open
// changes nothing (`changed: false`, no effects, no journal). So effects may be carried out at least once.

import type { ExactNumber } from '@kethub/feel';
import type { ProblemCode } from './problems.ts';

/** A JSON value. FEEL values of other types (dates, durations) are turned into strings where they become variables. */
export type Value =
  | null
  | boolean
  | number
  | ExactNumber
  | string
  | readonly Value[]
  | { readonly [name: string]: Value };
export type Variables = { readonly [name: string]: Value };

/** The reason to refuse a workflow file, with the id of the BPMN element (null only where none can be named). */
export interface Problem {
  readonly elementId: string | null;
  /** For programs, such as `ReservedOutputVariableException` or `UNSUPPORTED_ELEMENT`. */
  readonly code: ProblemCode;
  readonly message: string;
  /** The line in the file, where no element can be named. */
  readonly line?: number;
  /** The text of a wrong expression. */
  readonly expression?: string;
}

/** A probable mistake in a workflow that can be deployed, and its element. */
export interface WorkflowWarning {
  readonly elementId: string;
  readonly code: 'UNDEFINED_VARIABLE' | 'UNKNOWN_FUNCTION' | 'NEVER_THROWN';
  readonly message: string;
  readonly expression?: string;
}

/** A warning of an expression: a part of it is null for this reason. Reported once per instance. */
interface ExpressionWarning {
  readonly elementId: string;
  /** Its text, at most 200 characters. */
  readonly expression: string;
  /** For programs: a code of FEEL, such as `NO_VARIABLE_FOUND`. */
  readonly code: string;
  readonly message: string;
}

/**
 * The service that a platform service task calls, from the headers of its `zeebe:taskDefinition
 * type="platform-service"`.
 */
export interface ServiceReference {
  readonly serviceId: string;
  /** The application whose subscription is used; null: that of the workflow. */
  readonly applicationId: string | null;
  /** x.y.z, or null: whichever the application has subscribed to. */
  readonly serviceVersion: string | null;
}

/** The requirements and offers of a deployed version, for its OpenAPI document, its subscriptions and its schedule. */
export interface Requirements {
  readonly processId: string;
  readonly name: string | null;
  /** JSON Schema of the plain start event, or null when it has none (any object is accepted). */
  readonly requestSchema: { readonly [keyword: string]: Value } | null;
  /** The element that carries it, to locate problems with the schema. Null: there is no plain start event. */
  readonly startEvent: string | null;
  /** Start events by timer. `cycle` and `date` are FEEL or constants; use `firstStart` and `nextStart` for when. */
  readonly timerStarts: readonly { readonly elementId: string }[];
  /** Start events by message, triggered by an authenticated call. */
  readonly messageStarts: readonly { readonly elementId: string; readonly messageName: string }[];
  /** Start events by signal. */
  readonly signalStarts: readonly { readonly elementId: string; readonly signalName: string }[];
  /** Every message that an instance can wait for, without those of start events. */
  readonly messages: readonly { readonly elementId: string; readonly messageName: string }[];
  /** Every signal that an instance can wait for, without those of start events. */
  readonly signals: readonly { readonly elementId: string; readonly signalName: string }[];
  readonly services: readonly ({ readonly elementId: string } & ServiceReference)[];
  /** Call activities: the called process, or null where an expression decides while it runs. */
  readonly calls: readonly { readonly elementId: string; readonly processId: string | null }[];
  /**
   * Variables of the result: targets of the output mappings of end events of the process, and of its event
   * sub-processes.
   */
  readonly outputs: readonly { readonly elementId: string; readonly name: string }[];
  /** Names of secrets that `secret_value` reads. */
  readonly secrets: readonly string[];
  /** At most a hundred; absent of versions that were saved by an earlier platform. */
  readonly warnings?: readonly WorkflowWarning[];
}

/** The due time of a timer start event; plain JSON, to be stored and passed to `nextStart`. */
export interface StartTimer {
  /** Milliseconds since 1970; may lie in the past. */
  readonly due: number;
  readonly every?: string;
  readonly left?: number;
}

// ---- Events -----------------------------------------------------------------------------------------------------

export interface StartRequest {
  /** The process in the graph; absent: the main one. */
  readonly processId?: string;
  /** A timer, message or signal start event; absent: the plain one. */
  readonly startEvent?: string;
  /** The input, without `$secrets`. */
  readonly variables: Variables;
  /** Names of the entries of `$secrets`; values never come here. */
  readonly secrets?: readonly string[];
  /** The id of the instance or anything as unique: what `uuid()` and `random number()` are drawn from. */
  readonly seed: string;
  /** Present when a call activity starts the instance: which error codes are caught outside; `*` is all. */
  readonly caughtOutside?: readonly string[];
}

export type Event =
  | ({ readonly type: 'start' } & StartRequest)
  /**
   * `result`: what the service returned. A value that is no object is known as `result`. `called`: the ids as called,
   * for the error of a result that cannot be kept; they do not stand in the journal.
   */
  | { readonly type: 'jobSucceeded'; readonly job: number; readonly result: Value; readonly called?: Called }
  /** The execution of the service failed, or could not be started. Ids as called; `response`: the body as received. */
  | {
      readonly type: 'jobFailed';
      readonly job: number;
      readonly serviceId: string;
      readonly applicationId: string;
      readonly response: Value;
    }
  /** The service does not answer, and is called again for a while; `reason` is a sentence for the log. */
  | { readonly type: 'jobDelayed'; readonly job: number; readonly reason: string }
  /** A job was cancelled, and what it has called may run on; `reason` is a sentence for the log. */
  | { readonly type: 'jobAbandoned'; readonly elementId: string; readonly reason: string }
  /** The platform could not advance the instance: an incident of the process, until an operator retries it. */
  | { readonly type: 'platformFailed'; readonly message: string }
  | { readonly type: 'timerDue'; readonly timer: number }
  | { readonly type: 'messageCorrelated'; readonly subscription: number; readonly variables: Variables }
  /**
   * A signal was broadcast while the subscription was open. Unlike other events it must be delivered once only: a
   * subscription of an event that does not interrupt stays open.
   */
  | { readonly type: 'signalReceived'; readonly subscription: number; readonly variables: Variables }
  | { readonly type: 'childEnded'; readonly child: number; readonly outcome: Outcome }
  /** The open incidents of a child (and of its children), all of them. */
  | { readonly type: 'childIncidents'; readonly child: number; readonly errors: readonly ErrorEnvelope[] }
  /**
   * The instance is cancelled: everything open is terminated. `after`, in journals only: the event came while the step
   * before was paused, after so many of its commands.
   */
  | { readonly type: 'cancel'; readonly after?: number }
  /** The cause of an incident is corrected: its element is retried. */
  | { readonly type: 'resolveIncident'; readonly incident: number }
  /**
   * Corrects variables: each in the nearest scope that has one of its name, from an element instance (`scope`, its key)
   * outwards; else in the process. So every later reader of the variable finds the corrected one.
   */
  | { readonly type: 'setVariables'; readonly scope?: number; readonly variables: Variables };

export interface Called {
  readonly serviceId: string;
  readonly applicationId: string;
}

/** Passed in with each event; both end up in the journal. */
export interface Env {
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * Returns whether to pause the step; called after each command with the number of commands done and of the last entry
   * of the journal. The answer decides only where the step pauses, not its outcome. Without this function, a step is
   * never paused.
   */
  readonly pauses?: (done: number, seq: number) => boolean;
}

/** A command within a step, in order. */
export type Command =
  /** A token arrives at a node. */
  | { readonly do: 'enter'; readonly scope: number; readonly node: string; readonly flow: string }
  /** The instances of a parallel loop from `from` on, below `to`; each a few at a time. */
  | { readonly do: 'instances'; readonly body: number; readonly from: number; readonly to: number }
  /** A sequential loop body takes its next item. */
  | { readonly do: 'next'; readonly body: number }
  | { readonly do: 'activate'; readonly element: number }
  | { readonly do: 'complete'; readonly element: number }
  /** Tokens leave a gateway along these flows. */
  | { readonly do: 'leave'; readonly element: number; readonly flows: readonly string[] }
  | UrgentCommand;

/**
 * An urgent command, done before all others: termination, one element after the other, and what replaces the terminated
 * elements.
 */
export type UrgentCommand =
  /** An element and all that is in it ends without its result. */
  | { readonly do: 'terminate'; readonly element: number }
  /** All in a scope ends; 0: the process itself. */
  | { readonly do: 'terminateIn'; readonly scope: number }
  /** An event happens in a scope. `error`: it has caught this. */
  | {
      readonly do: 'happen';
      readonly event: string;
      readonly scope: number;
      readonly payload: Variables;
      readonly error?: ErrorEnvelope;
    }
  /** An event sub-process begins. */
  | {
      readonly do: 'handle';
      readonly id: string;
      readonly scope: number;
      readonly payload: Variables;
      readonly keep: Variables;
      readonly error?: ErrorEnvelope;
    }
  /** The instance has ended in this phase. */
  | { readonly do: 'end'; readonly phase: 'CANCELLED' }
  | { readonly do: 'end'; readonly phase: 'ERROR'; readonly code: string; readonly error: ErrorEnvelope };

// ---- Effects ----------------------------------------------------------------------------------------------------

/**
 * Numbers (`job`, `timer`, `subscription`, `message`, `signal`, `child`) are unique within the instance and never used
 * again.
 */
export type Effect =
  | {
      readonly type: 'startJob';
      readonly job: number;
      readonly elementId: string;
      readonly service: ServiceReference;
      /** The service's input. Secrets stand in it as `{"$secret": "name"}`, below `$secrets` only. */
      readonly input: Variables;
    }
  | { readonly type: 'cancelJob'; readonly job: number }
  /** `due` in milliseconds since 1970; may lie in the past. */
  | { readonly type: 'setTimer'; readonly timer: number; readonly elementId: string; readonly due: number }
  | { readonly type: 'cancelTimer'; readonly timer: number }
  | {
      readonly type: 'openSubscription';
      readonly subscription: number;
      readonly elementId: string;
      readonly messageName: string;
      readonly correlationKey: string;
    }
  | { readonly type: 'closeSubscription'; readonly subscription: number }
  | {
      readonly type: 'openSignalSubscription';
      readonly subscription: number;
      readonly elementId: string;
      readonly signalName: string;
    }
  | { readonly type: 'closeSignalSubscription'; readonly subscription: number }
  /**
   * Broadcast a signal to everything that waits for its name now. Subscriptions of this instance with a higher number
   * than `signal` were opened after it, and do not receive it.
   */
  | {
      readonly type: 'broadcastSignal';
      readonly signal: number;
      readonly elementId: string;
      readonly signalName: string;
      readonly variables: Variables;
    }
  /** Publish a message for instances of the same service. `timeToLiveMs` null: as long as the platform has it. */
  | {
      readonly type: 'publishMessage';
      readonly message: number;
      readonly elementId: string;
      readonly messageName: string;
      readonly correlationKey: string;
      readonly timeToLiveMs: number | null;
      readonly variables: Variables;
    }
  /** Start an instance of another process; answer with `childEnded`. */
  | {
      readonly type: 'startChild';
      readonly child: number;
      readonly elementId: string;
      readonly processId: string;
      readonly variables: Variables;
      readonly secrets: readonly string[];
      readonly caughtOutside: readonly string[];
    }
  | { readonly type: 'cancelChild'; readonly child: number }
  /** The list of errors has changed; of interest to the parent (`childIncidents`) and to whoever shows the status. */
  | { readonly type: 'incidentsChanged'; readonly errors: readonly ErrorEnvelope[] }
  /** The last effect of an instance. */
  | { readonly type: 'finished'; readonly outcome: Outcome };

/** The end of an instance. */
export type Outcome =
  /** `variables`: all at the root at the end, for a parent that takes them over; `result`: what end events returned. */
  | { readonly type: 'completed'; readonly result: Variables; readonly variables: Variables }
  | { readonly type: 'cancelled' }
  /** An error that the caller's process catches. Only with `caughtOutside`. */
  | { readonly type: 'error'; readonly error: ErrorEnvelope; readonly code: string }
  /** A child that could not be started, such as an unknown process: an incident of the call activity. */
  | { readonly type: 'notStarted'; readonly message: string };

// ---- Errors -----------------------------------------------------------------------------------------------------

/** Workflow error envelope of the specification; the last three only with `HUB_SERVICE_FAILED`. */
export interface ErrorEnvelope {
  readonly errorCode: string;
  readonly failedElement: string;
  readonly message: string;
  readonly serviceId?: string;
  readonly applicationId?: string;
  readonly response?: Value;
}

const incidentTypes = [
  'SERVICE_FAILED',
  'UNHANDLED_ERROR_EVENT',
  'IO_MAPPING_ERROR',
  'EXTRACT_VALUE_ERROR',
  'CONDITION_ERROR',
  'CALLED_ELEMENT_ERROR',
  'DEADLOCK',
  'TRANSITION_LIMIT',
  'PLATFORM_FAULT',
] as const;
export type IncidentType = (typeof incidentTypes)[number];

export interface Incident {
  readonly incident: number;
  readonly type: IncidentType;
  readonly elementId: string;
  /** Key of the element instance: what `variablesAt` and `setVariables` take. */
  readonly element: number;
  readonly at: number;
  readonly error: ErrorEnvelope;
}

// ---- State and journal ------------------------------------------------------------------------------------------

export const STATE_VERSION = 2;

/**
 * The phase of an element. An incident stops it there, and a retry starts there. The stages are input mappings
 * (ACTIVATING), what the element does (ACTIVE), output mappings (COMPLETING) and collecting its output in a loop
 * (COLLECTING).
 */
type ElementPhase = 'ACTIVATING' | 'ACTIVE' | 'COMPLETING' | 'COLLECTING';

/** An element that is being executed. The root of the tree is the process itself. */
export interface ElementInstance {
  readonly key: number;
  readonly elementId: string;
  /** Key of the instance that contains it; 0 for the process. */
  readonly scope: number;
  phase: ElementPhase;
  /** Local variables. */
  variables: Variables;
  /** Tokens that wait at joining gateways of this scope: how many have come along a flow, in order of the first. */
  waiting?: readonly WaitingTokens[];
  job?: number;
  /** Number of failed calls of a service that is called again. */
  failures?: number;
  /** The journal says already that the job is delayed. */
  delayed?: true;
  child?: number;
  childErrors?: readonly ErrorEnvelope[];
  loop?: Loop;
  /** Inner instance of a multi-instance body: its place, from 1. */
  loopCounter?: number;
  /** An interrupting event sub-process runs or has run in this scope: nothing else starts here. */
  interrupted?: boolean;
  /** The result that waits for its mapping: of a service, a message, a signal, a child or an error. */
  payload?: Variables;
  /** The start event that a process or event sub-process begins with. */
  startedBy?: string;
  /** A terminate end event of this scope was reached. */
  ending?: boolean;
}

export interface WaitingTokens {
  readonly gateway: string;
  readonly flow: string;
  readonly count: number;
}

/** The progress of a multi-instance loop. */
export interface Loop {
  /** Number of instances that will be made in all. */
  readonly size: number;
  readonly started: number;
  readonly completed: number;
  /** Index in `collected` of the output of the first instance; the others follow. Null when nothing is collected. */
  readonly output: number | null;
  /** Index in `collected` of the items whose instances are still to be made. */
  readonly items?: number;
}

export interface OpenTimer {
  readonly timer: number;
  /**
   * The element instance that waits: the event itself, the host of a boundary event, the scope of an event sub-process.
   */
  readonly element: number;
  /** The catching event. */
  readonly elementId: string;
  readonly due: number;
  /** For cycles: the time between two, in ISO 8601, and how often it will still be due after this (-1: for ever). */
  readonly every?: string;
  readonly left?: number;
}

/** An event that waits for a message or a signal. */
export type OpenSubscription = {
  readonly subscription: number;
  readonly element: number;
  readonly elementId: string;
} & SubscribedTo;

export type SubscribedTo =
  | { readonly messageName: string; readonly correlationKey: string }
  | { readonly signalName: string };

export type InstancePhase = 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'ERROR';

/** The members that an instance has once. */
export interface StateHead {
  readonly v: typeof STATE_VERSION;
  readonly processId: string;
  readonly seed: string;
  phase: InstancePhase;
  /** Number of the last journal entry. */
  seq: number;
  nextKey: number;
  /** Number of random values drawn. */
  draws: number;
  /** Outputs of the end events of the process so far. */
  outputs: Variables;
  /** In phase ERROR: the error for the caller's process. */
  error: ErrorEnvelope | null;
  readonly secrets: readonly string[];
  readonly caughtOutside: readonly string[] | null;
  /** Variables of the process at its end; absent before. */
  finalVariables?: Variables;
  /** A step that was paused; null: the instance waits, or has ended. */
  work: PausedStep | null;
  /** Warnings of expressions, each once, at most 20; absent: none. */
  warnings?: readonly ExpressionWarning[];
}

/** The data of a paused step beside the state. */
export interface PausedStep {
  /** Time at which it began, from which its timers count. */
  readonly now: number;
  /** Number of commands done. */
  readonly done: number;
  /** Number of elements entered. */
  readonly transitions: number;
  /** Number of commands in `queue`, where each round of a loop counts. */
  readonly pending: number;
  readonly nextCommand: number;
  readonly errorsChanged: boolean;
  /** The last one is next. */
  readonly urgent: readonly UrgentCommand[];
}

/** The collections of an instance, by number. */
export interface StateCollections {
  elements: ElementInstance;
  timers: OpenTimer;
  subscriptions: OpenSubscription;
  incidents: Incident;
  /** Outputs that loops have collected so far. */
  collected: Value;
  /** Commands of a paused step, and the scopes in which something has moved. */
  queue: Command;
  moved: true;
}

/** An instance as plain JSON. */
export type StoredState = StateHead & {
  readonly [C in keyof StateCollections]: { readonly [key: string]: StateCollections[C] };
};

/**
 * An entry of the journal, in order; `seq` counts from 1 without gaps. The entries of type `event` alone rebuild the
 * state.
 */
export type JournalEntry = { readonly seq: number; readonly at: number } & (
  | { readonly type: 'event'; readonly event: Event }
  | {
      readonly type: 'activated' | 'completed' | 'terminated';
      readonly elementId: string;
      readonly element: number;
      readonly scope: number;
    }
  | { readonly type: 'taken'; readonly flowId: string; readonly scope: number }
  | { readonly type: 'delayed'; readonly elementId: string; readonly element: number; readonly reason: string }
  | { readonly type: 'abandoned'; readonly elementId: string; readonly reason: string }
  | ({ readonly type: 'warned'; readonly element: number } & ExpressionWarning)
  | { readonly type: 'incident'; readonly incident: Incident }
  | { readonly type: 'resolved'; readonly incident: number; readonly elementId: string }
  | {
      readonly type: 'errorCaught';
      readonly elementId: string;
      readonly element: number;
      readonly error: ErrorEnvelope;
    }
  | { readonly type: 'finished'; readonly phase: InstancePhase }
);
