import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits, type WorkflowScope, type WorkflowVariables } from '@kethub/contract';
import { FairSlots } from '@kethub/runtime/slots';
import { OtherJournal, Replay, rootOf, type EventEntry, type Node, type State } from '@kethub/workflow';
import { Problem } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import type { Graphs } from '../graphs.ts';
import { eventsUntil } from '../journal.ts';
import { readState } from '../state.ts';
import { elementsOf, requireInstance, requireOwn, type InstanceReader } from './read-instances.ts';

/** Milliseconds of processor time for which a journal is replayed. A longer one is refused. */
const MOST_MS = 3_000;
/** Milliseconds for which it is replayed before the thread is yielded. */
const SLICE_MS = 10;
/** Characters of the journal that are read for it. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Journals that a process replays at the same time, and of them those of one person. */
const [MOST, MOST_OF_PERSON] = [8, 2];

const slotsOf = new WeakMap<Platform['database'], FairSlots>();

/** The question: the number of an entry of the journal, absent for now, and an element, absent for all. */
interface Wanted {
  readonly step?: number;
  readonly elementId?: string;
}

/**
 * Reads the variables of each scope of an instance, now or as they were after an entry of its journal. Earlier ones are
 * computed: the journal is replayed.
 *
 * Throws not-found, not-permitted, too-many-readers, history-not-available.
 */
export async function readVariables(
  { platform, graphs }: Pick<InstanceReader, 'platform' | 'graphs'>,
  context: Context,
  id: string,
  { step, elementId }: Wanted,
): Promise<WorkflowVariables> {
  const row = await requireInstance(platform, context, id);
  requireOwn(row, context);
  const now = await readState(platform.database.read, id);
  const isPast = now !== null && step !== undefined && step < now.seq;
  const state = isPast ? await replayed(platform, graphs, context, row, step) : now;
  return presentVariables(state, await elementsOf(graphs, row), elementId);
}

function presentVariables(
  state: State | null,
  nodes: ReadonlyMap<string, Node>,
  elementId: string | undefined,
): WorkflowVariables {
  if (state === null) return { step: 0, scopes: [], isPartial: false };
  const isWanted = (scope: WorkflowScope): boolean => elementId === undefined || scope.elementId === elementId;
  const scopes: WorkflowScope[] = [];
  let isPartial = false;
  const add = (scope: WorkflowScope): void => {
    if (!isWanted(scope)) return;
    if (scopes.length < limits.workflowScopes) scopes.push(scope);
    else isPartial = true;
  };
  if (rootOf(state) === undefined)
    add({
      element: 1,
      elementId: state.processId,
      elementName: null,
      scope: 0,
      variables: { ...state.finalVariables },
    });
  for (const { key, elementId: at, scope, loopCounter, variables } of state.elements.values()) {
    // Elements without variables of their own say nothing, unless they are asked for.
    if (scope !== 0 && elementId === undefined && Object.keys(variables).length === 0) continue;
    add({
      element: key,
      elementId: at,
      elementName: nodes.get(at)?.name ?? null,
      scope,
      ...(loopCounter !== undefined && { loopCounter }),
      variables: { ...variables },
    });
  }
  return { step: state.seq, scopes, isPartial };
}

async function replayed(
  { database }: Platform,
  graphs: Graphs,
  { personId }: Context,
  { id, service_version_id }: { readonly id: string; readonly service_version_id: string },
  step: number,
): Promise<State | null> {
  const graph = await graphs.load(service_version_id);
  if (graph === null) throw unavailable('The version of the workflow is gone.');
  const slots = slotsOf.get(database) ?? new FairSlots(MOST, MOST_OF_PERSON);
  slotsOf.set(database, slots);
  const leave = slots.take(personId);
  if (leave === null)
    throw new Problem('too-many-readers', `Earlier variables are computed for ${MOST_OF_PERSON} requests at a time.`);
  try {
    const slice = new Slice();
    const replay = new Replay(graph, step, () => slice.isOver);
    const yieldThread = () => slice.yieldThread(id);
    let event: EventEntry | undefined;
    for await (const next of eventsUntil(database.read, id, step, MOST_CHARACTERS)) {
      if (next === 'TOO_LONG') throw unavailable('Its journal is too long to be replayed.');
      if (event) await applied(replay, event, next, yieldThread);
      event = next;
    }
    if (event) await applied(replay, event, undefined, yieldThread);
    return replay.state;
  } catch (error) {
    if (error instanceof OtherJournal)
      throw unavailable('An earlier version of the platform or of the draft has run these steps in another way.');
    throw error;
  } finally {
    leave();
  }
}

async function applied(
  replay: Replay,
  event: EventEntry,
  next: EventEntry | undefined,
  yieldThread: () => Promise<void>,
): Promise<void> {
  for (let isLeft = replay.apply(event, next); isLeft; isLeft = replay.resume()) await yieldThread();
  await yieldThread();
}

/** Slices of the thread, and the processor time that they have taken together. */
class Slice {
  #began = performance.now();
  #before = process.threadCpuUsage();
  #used = 0;

  get isOver(): boolean {
    return performance.now() - this.#began >= SLICE_MS;
  }

  /** Yields the thread when the slice is over. Throws history-not-available. */
  async yieldThread(id: string): Promise<void> {
    if (!this.isOver) return;
    const { user, system } = process.threadCpuUsage(this.#before);
    this.#used += (user + system) / 1000;
    if (this.#used > MOST_MS) throw unavailable(`The steps of ${id} take too long to be computed again.`);
    await nextTurn();
    this.#began = performance.now();
    this.#before = process.threadCpuUsage();
  }
}

function unavailable(reason: string): Problem {
  return new Problem(
    'history-not-available',
    `The variables of this step cannot be computed again. ${reason} The journal shows what services answered.`,
  );
}
