import type {
  Env,
  ErrorEnvelope,
  Event,
  Problem,
  Requirements,
  StartRequest,
  State,
  StepResult,
  Variables,
} from './types.ts';
import type { ProcessGraph } from './graph.ts';

export type * from './types.ts';
export type { ProcessGraph } from './graph.ts';

/** The functions of this package. */
export interface Workflow {
  /** Validates and compiles a workflow file. Never throws; `problems` is not empty, and every one names its element. */
  parse(xml: string): { readonly graph: ProcessGraph } | { readonly problems: readonly Problem[] };
  requirements(graph: ProcessGraph): Requirements;
  start(graph: ProcessGraph, request: StartRequest, env: Env): StepResult;
  step(graph: ProcessGraph, state: State, event: Event, env: Env): StepResult;
  /** Status of the execution. PENDING is before `start`. */
  statusOf(state: State): 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  /** The variables that end events returned, or `errors` when there are open incidents; null before the end. */
  resultOf(state: State): Variables | { readonly errors: readonly ErrorEnvelope[] } | null;
  /** Variables that an element instance sees, nearest first wins. */
  variablesAt(state: State, element: number): Variables;
  /** The state after the entries of a journal (those of type `event` are enough). */
  rebuild(graph: ProcessGraph, journal: readonly { readonly type: string }[]): State;
  /** When a timer start event is due after a moment: milliseconds, or null when never again. */
  nextStart(graph: ProcessGraph, elementId: string, previous: number | null, now: number): number | null;
}
