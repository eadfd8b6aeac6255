import type { Expression } from './expression.ts';
import type { ServiceReference, Value } from './types.ts';

/**
 * A workflow file, validated and compiled. Holds functions: keep it in memory by version, and parse again elsewhere.
 */
export interface ProcessGraph {
  /** The process that is started; the others in the file can be called by its call activities. */
  readonly processId: string;
  readonly processes: ReadonlyMap<string, Process>;
}

export interface Process {
  readonly id: string;
  readonly name: string | null;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly flows: ReadonlyMap<string, Flow>;
  /** Names of secrets that its tasks read. */
  readonly secrets: readonly string[];
}

export interface Flow {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly condition: Expression | null;
}

/** `=expression`, or a constant. */
export interface Mapping {
  readonly source: Expression;
  readonly target: readonly string[];
}

export interface MultiInstance {
  readonly sequential: boolean;
  readonly inputCollection: Expression;
  readonly inputElement: string | null;
  readonly outputCollection: string | null;
  readonly outputElement: Expression | null;
  readonly completionCondition: Expression | null;
}

export type TimerDefinition = { readonly kind: 'date' | 'duration' | 'cycle'; readonly value: Expression };

export interface MessageDefinition {
  readonly name: Expression;
  /** Null for start events of a process. */
  readonly correlationKey: Expression | null;
}

/** The message that an event throws. Its variables come from the input mappings. */
export interface ThrownMessage {
  readonly name: Expression;
  /** Null: the message has no key. */
  readonly correlationKey: Expression | null;
  /** The duration for which the message waits. Null: the default of the platform. */
  readonly timeToLive: Expression | null;
}

/**
 * A signal that is caught or thrown. One that is thrown has the variables that the input mappings of its event make.
 */
export interface SignalDefinition {
  readonly name: Expression;
}

/** The calls of a failing service before its error is raised. */
export interface Retry {
  /** Number of calls in all. */
  readonly tries: number;
  /** Milliseconds before the second call; twice as long before each further one. */
  readonly backoffMs: number;
}

/** The trigger of an event. */
export type Trigger =
  /** `code` null: every escalation. */
  | { readonly type: 'escalation'; readonly code: string | null }
  | { readonly type: 'none' }
  | { readonly type: 'timer'; readonly timer: TimerDefinition }
  | { readonly type: 'message'; readonly message: MessageDefinition }
  | { readonly type: 'signal'; readonly signal: SignalDefinition }
  /** `code` null: every error. */
  | { readonly type: 'error'; readonly code: string | null; readonly payloadVariable: string };

/** The members of every flow node. */
export interface Common {
  readonly id: string;
  readonly name: string | null;
  /** The process or (event) sub-process that contains it. */
  readonly scope: string;
  readonly incoming: readonly string[];
  readonly outgoing: readonly string[];
  readonly inputs: readonly Mapping[];
  readonly outputs: readonly Mapping[];
  /** Boundary events attached to it. */
  readonly boundaries: readonly string[];
  readonly multiInstance: MultiInstance | null;
}

/** The content of a process or sub-process. */
export interface ScopeContent {
  /** The plain start event; null in an event sub-process, whose start event waits, and in a process without one. */
  readonly start: string | null;
  /** Event sub-processes in it. */
  readonly eventSubProcesses: readonly string[];
}

export type Node = Common &
  (
    | ({ readonly kind: 'process' } & ScopeContent)
    | ({ readonly kind: 'subProcess' } & ScopeContent)
    | ({
        readonly kind: 'eventSubProcess';
        readonly trigger: Exclude<Trigger, { type: 'none' }>;
        readonly startEvent: string;
        readonly interrupting: boolean;
      } & ScopeContent)
    | {
        readonly kind: 'startEvent';
        readonly trigger: Trigger;
        readonly interrupting: boolean;
        readonly requestSchema: { readonly [keyword: string]: Value } | null;
      }
    /** `result`: what its output mappings make are members of the result. */
    | { readonly kind: 'endEvent'; readonly result: boolean }
    | { readonly kind: 'terminateEndEvent'; readonly result: boolean }
    | { readonly kind: 'errorEndEvent'; readonly code: string; readonly message: Expression | null }
    /** Throws an escalation, and goes on unless what catches it interrupts. `result`: as of end events. */
    | { readonly kind: 'escalationEvent'; readonly code: string; readonly result: boolean }
    /** Publishes a message, and goes on. `result`: as of end events. */
    | { readonly kind: 'messageEvent'; readonly message: ThrownMessage; readonly result: boolean }
    /** Broadcasts a signal, and goes on. `result`: as of end events. */
    | { readonly kind: 'signalEvent'; readonly signal: SignalDefinition; readonly result: boolean }
    | { readonly kind: 'task' }
    | { readonly kind: 'script'; readonly expression: Expression; readonly resultVariable: string }
    | {
        readonly kind: 'service';
        readonly service: ServiceReference;
        readonly retry: Retry | null;
        /** The call of a workflow of another file: the variables that it gives and takes beside its mappings. */
        readonly called: { readonly allParentVariables: boolean; readonly allChildVariables: boolean } | null;
      }
    | {
        readonly kind: 'call';
        readonly processId: Expression;
        readonly allParentVariables: boolean;
        readonly allChildVariables: boolean;
      }
    | {
        readonly kind: 'boundaryEvent';
        readonly host: string;
        readonly interrupting: boolean;
        readonly trigger: Exclude<Trigger, { type: 'none' }>;
      }
    | { readonly kind: 'catchEvent'; readonly trigger: Extract<Trigger, { type: 'timer' | 'message' | 'signal' }> }
    | { readonly kind: 'parallelGateway' }
    | { readonly kind: 'exclusiveGateway'; readonly defaultFlow: string | null }
    | {
        readonly kind: 'inclusiveGateway';
        readonly defaultFlow: string | null;
        /**
         * The elements of its scope from which a token can still come along an incoming flow without passing the
         * gateway first.
         */
        readonly canComeAlong: (flow: string) => ReadonlySet<string>;
      }
    | { readonly kind: 'eventGateway' }
  );

export type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>;

/** The members that only nodes of one kind have. */
export type Own<K extends Node['kind']> = K extends unknown ? Omit<NodeOf<K>, keyof Common> : never;
