import { modes, type Mode } from './service.ts';
import { randomFrom } from './random.ts';

/** Everything that chance decides in a run comes from here, whatever happens meanwhile: a seed decides the same again. */

/** What breaks next, and after which pause. */
export interface Decision {
  readonly pauseMs: number;
  readonly fault: string;
  /** For what the fault itself decides, such as which process. */
  readonly random: () => number;
}

export interface Choice {
  readonly name: string;
  /** Relative to the others. */
  readonly weight: number;
}

export function decisionOf(seed: number, kill: number, possible: readonly Choice[], longestPauseMs: number): Decision {
  const random = chance(seed, 'fault', kill);
  const pauseMs = random() * longestPauseMs;
  let at = random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  for (const { name, weight } of possible) {
    at -= weight;
    if (at < 0) return { pauseMs, fault: name, random };
  }
  throw new Error('Nothing can break');
}

/** An execution to be started. */
export interface Wish {
  /** Its number, which the code opens a file of. */
  readonly mark: number;
  readonly mode: Mode;
  readonly seconds: number;
  /** How long after its start it is cancelled, in the modes that are. */
  readonly cancelAfterMs: number;
  /** Before the next one. */
  readonly pauseMs: number;
}

export function wishOf(seed: number, mark: number, longestPauseMs: number): Wish {
  const random = chance(seed, 'load', mark);
  // The first of the list are the most frequent.
  const mode = modes[Math.floor(random() ** 2 * modes.length)] ?? 'ok';
  const seconds = random() * 0.4;
  return { mark, mode, seconds, cancelAfterMs: random() * 300, pauseMs: random() * longestPauseMs };
}

/** Of each decision a chance of its own: one that needs more of it than before shifts no other. */
function chance(seed: number, what: 'fault' | 'load', number: number): () => number {
  const random = randomFrom(
    Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, what === 'fault' ? 0x85ebca6b : 0xc2b2ae35),
  );
  // The first numbers of near seeds are alike.
  random();
  return random;
}
