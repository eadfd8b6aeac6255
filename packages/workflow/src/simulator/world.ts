import { parseExact } from '@kethub/feel';
import { isDeepStrictEqual } from 'node:util';
import { rebuild } from '../engine/journal.ts';
import { errorsOf, resultOf, statusOf } from '../engine/status.ts';
import { resume, start, step } from '../engine/step.ts';
import type { ProcessGraph } from '../graph.ts';
import type { State } from '../state/state.ts';
import { fromStored, toStored } from '../state/stored.ts';
import type { StepResult } from '../engine/step-result.ts';
import type {
  Effect,
  Env,
  ErrorEnvelope,
  Event,
  JournalEntry,
  OpenSubscription,
  Outcome,
  StartRequest,
  StoredState,
  Value,
  Variables,
} from '../types.ts';
import { checkInclusiveJoins, checkJoins, checkState, expect, Outside, Replay } from './invariants.ts';
import type { Random } from './random.ts';

/** Steps of one instance after which services succeed and waiting events are hurried on. */
const CALM_AFTER = 60;
const END = 600;

/** One instance, and the world that answers it: late, twice, or with a failure, between crashes. */
class Simulated {
  state: State;
  readonly outside = new Outside();
  readonly replay = new Replay();
  readonly journal: string[] = [];
  readonly past: Event[] = [];
  readonly children = new Map<number, Simulated>();
  outcome: Outcome | null = null;
  errors: readonly ErrorEnvelope[] = [];
  readonly #world: World;

  constructor(world: World, request: StartRequest) {
    this.#world = world;
    const { graph } = world;
    const env = this.#env();
    const result = start(graph, request, env);
    this.state = result.state;
    this.#commit(result);
    this.#resume([result], env);
  }

  /** Pauses some steps, repeatedly. */
  #env(): Env {
    const { now, random } = this.#world;
    return random.chance(0.3) ? { now, pauses: () => random.chance(0.3) } : { now };
  }

  /** Continues a paused step. It may be cancelled in between. */
  #resume(results: StepResult[], env: Env): StepResult[] {
    const { graph, random } = this.#world;
    while (this.state.work !== null) {
      const result = random.chance(0.01)
        ? step(graph, this.state, { type: 'cancel' }, env)
        : resume(graph, this.state, { ...env, now: env.now + 1_000 });
      if (result.changed) this.#commit(result);
      results.push(result);
    }
    return results;
  }

  apply(event: Event): void {
    const { graph, random } = this.#world;
    const env = this.#env();
    const { state } = this;
    const before = JSON.stringify(toStored(state));
    const result = step(graph, state, event, env);
    if (result.changed) {
      this.past.push(event);
      this.#commit(result);
    }
    const results = this.#resume([result], env);
    expect(JSON.stringify(toStored(state)) === before, 'a step leaves the state before as it was');
    const isWhole = results.every(({ journal: [first] }, index) => index === 0 || first?.type !== 'event');
    if (isWhole && random.chance(0.1)) {
      const again = step(graph, fromStored(parseExact(before) as unknown as StoredState), event, { now: env.now });
      expect(
        isDeepStrictEqual(outcomeOf([again]), outcomeOf(results)),
        'a step that is lost or paused, and done again, is the same',
      );
    }
  }

  #commit({ state, effects, journal }: StepResult): void {
    // As it is stored in a database.
    this.state = fromStored(parseExact(JSON.stringify(toStored(state))) as unknown as StoredState);
    this.journal.push(...journal.map((entry) => JSON.stringify(entry)));
    for (const entry of journal) {
      this.replay.take(entry);
      if (entry.type === 'event') this.#answered(entry.event);
    }
    const twice = this.#world.random.chance(0.1) ? effects : [];
    for (const effect of [...effects, ...twice]) this.#carryOut(effect);
    checkState(this.state, this.outside, this.replay);
    if (state.phase === 'COMPLETED') this.#checkJoins();
    if (state.phase !== 'RUNNING') checkInclusiveJoins(this.replay);
  }

  #checkJoins(): void {
    const nodes = this.#world.graph.processes.get(this.state.processId)?.nodes ?? new Map();
    const joins = [...nodes.values()].filter(
      ({ kind, scope, incoming }) =>
        kind === 'parallelGateway' && scope === this.state.processId && incoming.length > 1,
    );
    // Tokens are thrown away only where something is terminated, or by a terminate end event.
    const thrownAway = this.journal.some((entry) => entry.includes('"terminated"') || entry.includes('"terminates'));
    if (!thrownAway) checkJoins(this.replay, joins, 1);
  }

  #answered(event: Event): void {
    if (event.type === 'jobSucceeded' || event.type === 'jobFailed') this.outside.jobs.delete(event.job);
    if (event.type === 'timerDue') this.outside.timers.delete(event.timer);
    if (event.type === 'messageCorrelated') this.outside.subscriptions.delete(event.subscription);
    if (event.type === 'childEnded') this.outside.children.delete(event.child);
  }

  #carryOut(effect: Effect): void {
    this.outside.take(effect);
    if (effect.type === 'finished') this.outcome = effect.outcome;
    else if (effect.type === 'incidentsChanged') this.errors = effect.errors;
    else if (effect.type === 'cancelChild') this.children.get(effect.child)?.apply({ type: 'cancel' });
    else if (effect.type === 'startChild' && !this.children.has(effect.child)) this.#startChild(effect);
  }

  #startChild({ child, processId, variables, secrets, caughtOutside }: Extract<Effect, { type: 'startChild' }>): void {
    const request = { processId, variables, secrets, caughtOutside, seed: `${this.state.seed}.${child}` };
    this.children.set(child, new Simulated(this.#world, request));
  }

  /** Kills the process that has the state: only the journal is left. */
  crash(): void {
    const journal = this.journal.map((entry) => parseExact(entry) as unknown as JournalEntry);
    const rebuilt = rebuild(this.#world.graph, journal);
    expect(
      isDeepStrictEqual(plain(rebuilt && toStored(rebuilt)), plain(toStored(this.state))),
      'the journal rebuilds the state',
    );
    if (rebuilt !== null) this.state = rebuilt;
  }

  check(): void {
    const errors = errorsOf(this.state);
    expect(isDeepStrictEqual(plain(errors), plain(this.errors)), 'effects report the errors that there are');
    const status = statusOf(this.state);
    if (this.state.phase === 'RUNNING')
      expect((status === 'FAILED') === errors.length > 0, 'FAILED while an incident is open');
    expect((resultOf(this.state) === null) === (status === 'RUNNING'), 'there is a result unless it runs');
    for (const { message } of errors) expect(message !== '', 'messages are not empty');
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The outcome of a step, in however many parts. */
const outcomeOf = (parts: readonly StepResult[]): unknown =>
  plain({
    state: parts.flatMap(({ state }, index) => (index === parts.length - 1 ? toStored(state) : [])),
    effects: parts.flatMap(({ effects }) => effects),
    journal: parts.flatMap(({ journal }) => journal),
  });

export class World {
  readonly graph: ProcessGraph;
  readonly random: Random;
  now = Date.parse('2030-01-01T00:00:00Z');
  #actions = 0;

  constructor(graph: ProcessGraph, random: Random) {
    this.graph = graph;
    this.random = random;
  }

  /** Runs one instance to its end, and returns its last state. */
  run(seed: string): State {
    const { random } = this;
    const variables = {
      key: 'k',
      items: [1, 2, 3],
      v0: random.below(10),
      v1: random.below(10),
      v2: random.below(10),
      v3: random.below(10),
    };
    const root = new Simulated(this, { variables, seed });
    while (root.outcome === null) {
      expect(++this.#actions < END, 'an instance ends');
      this.#act(root, root);
      root.check();
    }
    root.crash();
    this.#checkChildren(root);
    return root.state;
  }

  #checkChildren({ children, state }: Simulated): void {
    expect(state.phase !== 'RUNNING', 'no child outlives its parent');
    for (const child of children.values()) this.#checkChildren(child);
  }

  /** One thing happens, somewhere in an instance or its children. */
  #act(instance: Simulated, root: Simulated): void {
    const { random } = this;
    for (const [child, called] of instance.children) {
      if (!instance.outside.children.has(child)) continue;
      if (called.outcome !== null) {
        instance.apply({ type: 'childEnded', child, outcome: called.outcome });
        return;
      }
      instance.apply({ type: 'childIncidents', child, errors: called.errors });
    }
    if (random.chance(0.05)) instance.crash();
    const old = instance.past[random.below(instance.past.length)];
    if (old !== undefined && isOnce(old) && random.chance(0.1)) {
      const { seq } = instance.state;
      instance.apply(old);
      expect(instance.state.seq === seq, `${old.type} counts once`);
      return;
    }
    if (random.chance(0.003)) {
      root.apply({ type: 'cancel' });
      return;
    }
    const event = this.#event(instance);
    if (event !== null) instance.apply(event);
    else root.apply({ type: 'cancel' });
  }

  /** A random event that is possible for the instance; null when only an incident is left that cannot be repaired. */
  #event(instance: Simulated): Event | null {
    const { random } = this;
    const { outside, state } = instance;
    const calm = this.#actions > CALM_AFTER;
    const events: (() => Event | null)[] = [
      ...[...outside.jobs.keys()].map((job) => () => this.#answer(job, calm)),
      ...[...outside.timers].map(
        ([timer, due]) =>
          () =>
            this.#due(timer, due),
      ),
      ...[...state.subscriptions.values()]
        .filter(({ elementId }) => !calm || !/^(beside|esp)/.test(elementId))
        .map((open) => () => received(open, { n: random.below(10) })),
      ...[...state.incidents.values()].map(
        ({ incident, type }) =>
          () =>
            this.#mend(instance, incident, type),
      ),
    ];
    const running = [...outside.children]
      .flatMap((child) => instance.children.get(child) ?? [])
      .filter(({ outcome }) => outcome === null);
    const choice = random.below(events.length + running.length);
    const child = running[choice - events.length];
    if (child === undefined) return events[choice]?.() ?? null;
    this.#act(child, child);
    return { type: 'resolveIncident', incident: -1 };
  }

  #answer(job: number, calm: boolean): Event {
    const { random } = this;
    if (!calm && random.chance(0.05)) return { type: 'jobDelayed', job, reason: 'Nobody answers.' };
    if (calm || random.chance(0.7)) return { type: 'jobSucceeded', job, result: { n: random.below(10) } };
    const response = random.of<Value>([{ detail: 'broken' }, { title: '' }, null, [1], { message: 'no' }]);
    return { type: 'jobFailed', job, serviceId: 'service', applicationId: 'application', response };
  }

  #due(timer: number, due: number): Event {
    this.now = Math.max(this.now, due);
    return { type: 'timerDue', timer };
  }

  #mend(instance: Simulated, incident: number, type: string): Event | null {
    // An incident that every retry causes again, also in a called process.
    if (type === 'UNHANDLED_ERROR_EVENT' || type === 'DEADLOCK') return null;
    if (type === 'CALLED_ELEMENT_ERROR' && this.random.chance(0.5)) return null;
    if (type === 'EXTRACT_VALUE_ERROR' || type === 'CONDITION_ERROR' || type === 'IO_MAPPING_ERROR') {
      const scope = instance.state.incidents.get(incident)?.element ?? 0;
      instance.apply({ type: 'setVariables', scope, variables: { mended: true, v0: 1, v1: 2, v2: 3, v3: 4 } });
    }
    return { type: 'resolveIncident', incident };
  }
}

const received = (open: OpenSubscription, variables: Variables): Event => ({
  type: 'signalName' in open ? 'signalReceived' : 'messageCorrelated',
  subscription: open.subscription,
  variables,
});

/** Returns whether the engine ignores the second of two such events as a repetition. */
function isOnce(event: Event): boolean {
  return ['jobSucceeded', 'jobFailed', 'timerDue', 'messageCorrelated', 'childEnded', 'resolveIncident'].includes(
    event.type,
  );
}
