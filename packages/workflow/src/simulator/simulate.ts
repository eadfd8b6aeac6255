import type { InstancePhase } from '../types.ts';
import { parse } from '../parse.ts';
import { Generator } from './generator.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

/** The process of a seed. */
export const processOf = (seed: number): string => new Generator(new Random(seed), SIZE).file();

/** Elements of a process, about. */
const SIZE = 7;

/**
 * Writes the process of a seed and runs it along the path of the seed. Throws what is broken, and how to see it again.
 */
export async function simulate(seed: number): Promise<{ phase: InstancePhase; entries: number }> {
  try {
    const result = await parse(processOf(seed));
    if ('problems' in result) throw new Error(`Refused: ${JSON.stringify(result.problems)}`);
    const { phase, seq } = new World(result.graph, new Random(seed + 1_000_000_007)).run(`seed ${seed}`);
    return { phase, entries: seq };
  } catch (error) {
    throw new Error(`Seed ${seed} fails. Again: node packages/workflow/src/simulator/main.ts ${seed}`, {
      cause: error,
    });
  }
}
