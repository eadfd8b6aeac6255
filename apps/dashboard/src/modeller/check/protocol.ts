// Messages between the page and its worker. Values travel as JSON texts: an object with an exact number would
// lose its class on the way.

/** A problem or a warning, at an element. */
export interface Finding {
  readonly elementId: string | null;
  readonly message: string;
  readonly expression?: string;
  readonly isWarning: boolean;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** Milliseconds that the check took. */
  readonly ms: number;
  /** The Request Schema of the plain start event as JSON; null where there is none. */
  readonly requestSchema: string | null;
  /** The next times of timer start events, in milliseconds since 1970, by the id of the event. */
  readonly starts: Readonly<Record<string, readonly number[]>>;
}

/** The value of an expression: JSON, or a reason why there is none. */
export interface Evaluated {
  readonly value: string | null;
  readonly error: string | null;
  /** Variables that are not there. */
  readonly missing: readonly string[];
}

/** An entry of the journal, as the platform shows it. */
export interface Noted {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly elementId?: string;
  readonly element?: number;
  readonly flowId?: string;
  readonly incident?: number;
  readonly message?: string;
}

/** Something that a rehearsed instance waits for. */
export type Waiting =
  | {
      readonly kind: 'job';
      readonly id: number;
      readonly elementId: string;
      readonly input: string;
      readonly serviceId: string;
    }
  | { readonly kind: 'timer'; readonly id: number; readonly elementId: string; readonly due: number }
  | {
      readonly kind: 'message' | 'signal';
      readonly id: number;
      readonly elementId: string;
      readonly name: string;
      readonly correlationKey: string;
    }
  | { readonly kind: 'child'; readonly id: number; readonly elementId: string; readonly processId: string };

/** A rehearsed instance as it stands. */
export interface Rehearsed {
  readonly status: string;
  readonly journal: readonly Noted[];
  readonly waiting: readonly Waiting[];
  readonly incidents: readonly {
    readonly incident: number;
    readonly elementId: string;
    readonly message: string;
    readonly code: string;
  }[];
  /** Variables of the process as JSON. */
  readonly variables: string;
  /** The result as JSON; null while there is none. */
  readonly result: string | null;
}

/** Events that an author triggers in a rehearsal. Texts are JSON. */
export type Happening =
  | { readonly type: 'start'; readonly xml: string; readonly input: string }
  | { readonly type: 'succeed'; readonly job: number; readonly result: string }
  | { readonly type: 'fail'; readonly job: number; readonly response: string }
  | { readonly type: 'due'; readonly timer: number }
  | {
      readonly type: 'receive';
      readonly kind: 'message' | 'signal';
      readonly subscription: number;
      readonly variables: string;
    }
  | { readonly type: 'retry'; readonly incident: number; readonly variables: string };

export type Question =
  | { readonly id: number; readonly ask: 'check'; readonly xml: string }
  | { readonly id: number; readonly ask: 'evaluate'; readonly source: string; readonly variables: string }
  | { readonly id: number; readonly ask: 'rehearse'; readonly happening: Happening };

export interface Answers {
  readonly check: Checked;
  readonly evaluate: Evaluated;
  readonly rehearse: Rehearsed;
}

export type Answer =
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly failed: string };
