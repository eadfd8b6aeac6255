import { lacking, type Capacity, type Needs } from './capacity.ts';

/** What the operator has set: `KETHUB_LONG_RUN_SECONDS` and `KETHUB_OWNER_LONG_RUN_PERCENT`, the share from 0 to 1. */
export interface LongRunLimits {
  readonly longRunSeconds: number;
  readonly longRunShare: number;
}

const GB = 2 ** 30;

/** What long executions of one owner may take of a machine: the share, but so much that the smallest usual one fits. */
export function longCapacity({ cpus, memoryBytes, gpus }: Capacity, share: number): Capacity {
  return {
    cpus: Math.min(cpus, Math.max(1, cpus * share)),
    memoryBytes: Math.min(memoryBytes, Math.max(GB, memoryBytes * share)),
    gpus: Object.fromEntries(
      Object.entries(gpus).map(([type, count]) => [type, Math.max(1, Math.floor(count * share))]),
    ),
  };
}

/** Why an execution that may run for so long fits no share of any of these machines; empty when it does, or is not long. */
export function lackingForLong(
  needs: Needs,
  runTimeSeconds: number,
  capacities: readonly Capacity[],
  { longRunSeconds, longRunShare }: LongRunLimits,
): ReturnType<typeof lacking> {
  if (runTimeSeconds <= longRunSeconds || longRunShare >= 1) return [];
  return lacking(
    needs,
    capacities.map((capacity) => longCapacity(capacity, longRunShare)),
  );
}
