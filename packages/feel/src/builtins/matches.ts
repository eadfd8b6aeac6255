import type { Matcher, RE2JS } from 're2js';
import type { Meter } from '../budget.ts';
import { cost } from '../cost.ts';
import type { CallSite } from '../evaluate/call-site.ts';

/** Number of characters read in one step. */
const LOOKS_PER_STEP = 2;
/** Number of threads in one step, of a machine that tries all ways at once. */
const THREADS_PER_STEP = 3;

/** The parts of re2js that are counted: its declarations leave them out. */
interface Input {
  step(position: number): number;
  endPos(): number;
}
interface Queue {
  readonly size: number;
}
interface Machine {
  readonly q0: Queue;
  readonly q1: Queue;
}
interface Engine {
  readonly machinePool: Machine[];
  executeEngine(input: Input, ...more: unknown[]): unknown;
  doExecuteNFA(input: Input, ...more: unknown[]): unknown;
}

/** The meter that pays for characters read: that of the last match begun. Matches of two texts never alternate. */
let payer: Meter | null = null;
const counted = new WeakSet<Engine>();

/**
 * The matches of a pattern in a text. Each pays for every character read, however often; where all ways through the
 * pattern are tried at once, for each of them. So an evaluation can stop in the middle of an expensive match.
 */
export class Matches implements Iterable<Matcher> {
  readonly #call: CallSite;
  readonly #matcher: Matcher;

  constructor(call: CallSite, pattern: RE2JS, input: string) {
    count(pattern.re2());
    this.#call = call;
    this.#matcher = pattern.matcher(input);
    // Native code skips to the required part of a match: once through the text, however many matches there are.
    call.meter.text(input.length);
    payer = call.meter;
  }

  get groups(): number {
    return this.#matcher.groupCount();
  }

  /** Looks for the next match. */
  find(): boolean {
    this.#call.spend(cost.find);
    return this.#matcher.find();
  }

  *[Symbol.iterator](): Iterator<Matcher> {
    while (this.find()) yield this.#matcher;
  }
}

/** Makes an engine count the characters that it reads. */
function count(engine: Engine): void {
  if (counted.has(engine)) return;
  counted.add(engine);
  const { executeEngine, doExecuteNFA } = engine;
  engine.executeEngine = function (input, ...more) {
    let looks = 0;
    const { step } = input;
    input.step = function (position) {
      if (++looks % LOOKS_PER_STEP === 0) payer?.spend(1);
      return step.call(this, position);
    };
    return executeEngine.call(this, input, ...more);
  };
  engine.doExecuteNFA = function (input, ...more) {
    const { step } = input;
    if (engine.machinePool.length === 0) doExecuteNFA.call(this, nothingOf(input), 0, 0, 0);
    const machine = engine.machinePool.at(-1);
    input.step = function (position) {
      if (machine) payer?.spend(Math.ceil((machine.q0.size + machine.q1.size) / THREADS_PER_STEP));
      return step.call(this, position);
    };
    return doExecuteNFA.call(this, input, ...more);
  };
}

/** An input that has ended, with which the engine makes the machine that it takes for the next. */
function nothingOf(input: Input): Input {
  const end = input.step(input.endPos());
  return Object.create(input, { step: { value: () => end } }) as Input;
}
