import type { AcceptedWorkflow, FirstStep } from '../executions/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type {
  StatementBatch,
  WorkflowInstanceRow,
  WorkflowJobRow,
  WorkflowTimerRow,
} from '../../foundation/storage/index.ts';
import {
  collectEffects,
  HandOver,
  jobColumns,
  reduce,
  timerColumns,
  type Advancing,
  type Effects,
  type Next,
} from './advance/index.ts';
import type { LeakyBucket } from './leaky-bucket.ts';
import type { Graphs } from './graphs.ts';
import { newInstance, startEvent } from './instance.ts';
import { journalColumns, journalRows } from './journal.ts';

/**
 * Largest precomputed step: 16 jobs and timers, 500 commands. A larger first step is made from an event, in turn with
 * the work of others.
 */
const JOBS = 16;
const COMMANDS = 500;

/** Loops that a first step wakes. */
export interface Wakes {
  jobs(): void;
  timers(): void;
}

/** The precomputed first step of an instance: the instance after it, and its journal, jobs and timers. */
export class PrecomputedStep implements FirstStep {
  readonly instance: WorkflowInstanceRow;
  readonly journal: ReturnType<typeof journalRows>;
  readonly jobs: readonly WorkflowJobRow[];
  readonly timers: readonly WorkflowTimerRow[];
  readonly #handOver: HandOver;
  readonly #advancing: Advancing;
  readonly #wakes: Wakes;

  constructor(row: WorkflowInstanceRow, next: Next, effects: Effects, advancing: Advancing, wakes: Wakes) {
    const { phase } = next;
    const { state, bytes } = next.toStore;
    this.instance = { ...row, phase, state, bytes, revision: row.revision + 1 };
    this.journal = journalRows(row.id, next.journal);
    this.jobs = effects.jobs;
    this.timers = effects.timers;
    this.#advancing = advancing;
    this.#wakes = wakes;
    this.#handOver = new HandOver(advancing.executor);
    this.#handOver.reserve(effects, new Set());
  }

  begin(): void {
    if (this.jobs.length > 0) this.#advancing.cache.remember(this.instance);
    if (this.#handOver.size < this.jobs.length) this.#wakes.jobs();
    if (this.timers.length > 0) this.#wakes.timers();
    this.#handOver.begin();
  }

  release(): void {
    this.#handOver.release();
  }
}

/**
 * Computes the first step of an instance before it is accepted, which saves writing and reading a start event.
 *
 * A step with more than a few jobs and timers waits as an event. So does one of an owner whose share of the thread is
 * used up.
 */
export class FirstSteps {
  readonly #platform: Platform;
  readonly #graphs: Graphs;
  readonly #bucket: LeakyBucket;
  readonly #advancing: Advancing;
  readonly #wakes: Wakes;

  constructor(platform: Platform, graphs: Graphs, bucket: LeakyBucket, advancing: Advancing, wakes: Wakes) {
    this.#platform = platform;
    this.#graphs = graphs;
    this.#bucket = bucket;
    this.#advancing = advancing;
    this.#wakes = wakes;
  }

  async of(accepted: AcceptedWorkflow): Promise<PrecomputedStep | null> {
    const row = newInstance(this.#platform, accepted);
    if (!this.#bucket.allows(row.owner)) return null;
    const graph = await this.#graphs.load(row.service_version_id);
    if (!graph) return null;
    const began = performance.now();
    const work = { row, before: null, events: [{ id: '', event: startEvent(accepted) }], ended: [] };
    const isOver = (done: number) => done >= COMMANDS;
    const advanced = reduce(graph, work, this.#platform.now(), this.#platform.log, isOver);
    const { next } = advanced;
    const effects = next && collectEffects(this.#platform, [advanced]);
    this.#bucket.spend(row.owner, performance.now() - began);
    if (!next || !effects || !isSmall(next)) return null;
    return new PrecomputedStep(row, next, effects, this.#advancing, this.#wakes);
  }
}

function isSmall({ phase, incidents, toStore: { parts }, effects, isPaused }: Next): boolean {
  const plain = effects.every(({ type }) => type === 'startJob' || type === 'setTimer');
  const isInOne = parts !== 'NONE' && parts.size === 0;
  return phase === 'RUNNING' && !isPaused && incidents === 0 && isInOne && plain && effects.length <= JOBS;
}

/** Adds journal, jobs and timers of first steps to the statement batch that writes the instances. */
export function addFirstSteps(statements: StatementBatch, steps: readonly PrecomputedStep[]): void {
  const all = (what: 'journal' | 'jobs' | 'timers') => steps.flatMap((step): readonly object[] => step[what]);
  statements.insert('workflow_journal', journalColumns, all('journal'));
  statements.insert('workflow_jobs', jobColumns, all('jobs'));
  statements.insert('workflow_timers', timerColumns, all('timers'));
}
