import { modes, type Mode } from './service.ts';
import { randomFrom } from './random.ts';

/** Makes all random decisions of a run, independent of its course: the same seed gives the same decisions. */

/** The next fault, and the pause before it. */
export interface Decision {
  readonly pauseMs: number;
  readonly fault: string;
  /** For decisions within the fault, such as which process. */
  readonly random: () => number;
}

export interface Choice {
  readonly name: string;
  /** Weight relative to the others. */
  readonly weight: number;
}

export function decisionOf(seed: number, kill: number, possible: readonly Choice[], longestPauseMs: number): Decision {
  const random = chance(seed, 'fault', kill);
  const pauseMs = random() * longestPauseMs;
  // A short run, too, contains every kind: each comes once before chance decides.
  const turn = inTurn(seed, possible)[kill];
  if (turn !== undefined) return { pauseMs, fault: turn.name, random };
  let at = random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  for (const { name, weight } of possible) {
    at -= weight;
    if (at < 0) return { pauseMs, fault: name, random };
  }
  throw new Error('Nothing can break');
}

/** The kinds in an order of the seed. */
function inTurn(seed: number, possible: readonly Choice[]): readonly Choice[] {
  const random = chance(seed, 'turn', 0);
  const left = [...possible];
  return possible.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}

/** An execution to be started. */
export interface Wish {
  /** Its number. The code opens the file of this number. */
  readonly mark: number;
  readonly mode: Mode;
  readonly seconds: number;
  /** Milliseconds from its start to its cancellation; null when it is not cancelled. */
  readonly cancelAfterMs: number | null;
  /** Milliseconds before the next one. */
  readonly pauseMs: number;
}

export function wishOf(seed: number, mark: number, longestPauseMs: number): Wish {
  const random = chance(seed, 'load', mark);
  // The first of the list are the most frequent.
  const mode = modes[Math.floor(random() ** 2 * modes.length)] ?? 'ok';
  const seconds = random() * 0.4;
  const afterMs = random() * 300;
  const cancelAfterMs = mode === 'cancel' || mode === 'stubborn' ? afterMs : null;
  return { mark, mode, seconds, cancelAfterMs, pauseMs: random() * longestPauseMs };
}

/** The behaviour of the code in one task of a workflow. */
export interface Part {
  readonly mark: number;
  readonly mode: 'ok' | 'files' | 'raise';
  readonly seconds: number;
}

/** An instance of the workflow to be started. */
export interface Errand {
  /** Two tasks side by side, and the one after them. */
  readonly parts: readonly [Part, Part, Part];
  /** Milliseconds from its start to its cancellation; null when it is not cancelled. */
  readonly cancelAfterMs: number | null;
  readonly pauseMs: number;
}

export function errandOf(seed: number, firstMark: number, longestPauseMs: number): Errand {
  const random = chance(seed, 'errand', firstMark);
  const part = (index: number): Part => {
    const mode = (['ok', 'files', 'raise'] as const)[Math.floor(random() ** 2 * 3)] ?? 'ok';
    return { mark: firstMark + index, mode, seconds: random() * 0.4 };
  };
  const parts = [part(0), part(1), part(2)] as const;
  const cancelAfterMs = random() < 0.25 ? random() * 1_500 : null;
  return { parts, cancelAfterMs, pauseMs: random() * longestPauseMs };
}

const salts = { turn: 0x165667b1, fault: 0x85ebca6b, load: 0xc2b2ae35, errand: 0x27d4eb2f };

/** A random generator for each decision, so that more draws for one do not shift the others. */
function chance(seed: number, what: keyof typeof salts, number: number): () => number {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, salts[what]));
  // Similar seeds give similar first numbers, so these are dropped.
  random();
  return random;
}
