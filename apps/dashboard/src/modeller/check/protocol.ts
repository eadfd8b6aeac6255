import type { BuiltinCall } from '@kethub/feel';

// Messages between the page and its worker. Values travel as JSON texts: an object with an exact number would
// lose its class on the way.

/** A problem or a warning, at an element. */
export interface Finding {
  readonly elementId: string | null;
  readonly message: string;
  readonly expression?: string;
  readonly isWarning: boolean;
  /** True for what may be mended outside of the file: it can be deployed as soon as that is done. */
  readonly isOutside?: boolean;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** Milliseconds that the check took. */
  readonly ms: number;
  /** The Request Schema of the plain start event as JSON; null where there is none. */
  readonly requestSchema: string | null;
  /** The next times of timers, in milliseconds since 1970, by the id of the event. */
  readonly times: Readonly<Record<string, { readonly due: readonly number[]; readonly isStart: boolean }>>;
}

/** The value of an expression: JSON, or a reason why there is none. */
export interface Evaluated {
  readonly value: string | null;
  readonly error: string | null;
  /** Variables that are not there. */
  readonly missing: readonly string[];
}

/** An entry of the journal, as the platform shows it. Keys of elements are distinct among all instances. */
export interface Noted {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly elementId?: string;
  readonly element?: number;
  readonly flowId?: string;
  readonly phase?: string;
  readonly event?: { readonly type: string };
  readonly incident?: number | { readonly incident: number; readonly elementId: string };
  readonly message?: string;
}

interface Waits {
  /** Name of what is waited for, for `Happening`. */
  readonly key: string;
  readonly id: number;
  readonly elementId: string;
}

/** Something that a rehearsed instance waits for. */
export type Waiting = Waits &
  (
    | {
        readonly kind: 'job';
        readonly input: string;
        readonly serviceId: string;
        readonly serviceVersion: string | null;
        /** Number of earlier calls of the same element. */
        readonly nth: number;
      }
    | { readonly kind: 'timer'; readonly due: number }
    | { readonly kind: 'message' | 'signal'; readonly name: string; readonly correlationKey: string }
  );

export interface RehearsedIncident {
  readonly key: string;
  readonly elementId: string;
  readonly message: string;
  readonly code: string;
  /** Variables that the element sees, as JSON. */
  readonly variables: string;
}

/** An element with variables of its own, or a process. */
export interface RehearsedScope {
  readonly key: number;
  readonly elementId: string;
  /** Number of the round of a loop, from 1; null outside of loops. */
  readonly round: number | null;
  readonly variables: string;
}

/** A rehearsal as it stands. */
export interface Rehearsed {
  readonly status: string;
  /** Milliseconds since 1970 in the rehearsal. */
  readonly now: number;
  readonly journal: readonly Noted[];
  readonly waiting: readonly Waiting[];
  readonly incidents: readonly RehearsedIncident[];
  readonly scopes: readonly RehearsedScope[];
  /** The result as JSON; null while there is none. */
  readonly result: string | null;
  /** Steps that can be taken back, and those that were taken back. */
  readonly steps: number;
  readonly later: number;
}

/** An answer that a real instance has got at an element. */
export interface Recorded {
  readonly elementId: string;
  /** Input of the call as JSON; '' for anything that is no call. */
  readonly input: string;
  readonly kind: 'succeed' | 'fail' | 'receive' | 'due';
  /** The result, the answer of the failure, or the variables, as JSON; '' for a timer. */
  readonly text: string;
}

/** Events that an author triggers in a rehearsal. Texts are JSON; `key` is that of what is waited for. */
export type Happening =
  | { readonly type: 'start'; readonly xml: string; readonly input: string }
  | { readonly type: 'succeed' | 'fail'; readonly key: string; readonly text: string }
  | { readonly type: 'due'; readonly key: string }
  | { readonly type: 'receive'; readonly kind: 'message' | 'signal'; readonly key: string; readonly text: string }
  | { readonly type: 'retry'; readonly key: string; readonly variables: string }
  | { readonly type: 'back' }
  | { readonly type: 'forward' };

/** The record of a real instance: its input as JSON, null where it is not known, and the answers in their order. */
export interface InstanceRecord {
  readonly input: string | null;
  readonly answers: readonly Recorded[];
}

export type Question =
  | { readonly id: number; readonly ask: 'check'; readonly xml: string }
  | { readonly id: number; readonly ask: 'evaluate'; readonly source: string; readonly variables: string }
  | { readonly id: number; readonly ask: 'judge'; readonly xml: string; readonly input: string }
  | { readonly id: number; readonly ask: 'recall'; readonly xml: string; readonly journal: string }
  | { readonly id: number; readonly ask: 'functions' }
  | { readonly id: number; readonly ask: 'rehearse'; readonly happening: Happening };

export interface Answers {
  readonly check: Checked;
  readonly evaluate: Evaluated;
  /** Complaints of the Request Schema about an input. */
  readonly judge: readonly string[];
  readonly recall: InstanceRecord;
  readonly functions: readonly BuiltinCall[];
  readonly rehearse: Rehearsed;
}

export type Answer =
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly failed: string };
