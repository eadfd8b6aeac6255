import { lacking, type Capacity, type Needs } from './capacity.ts';

/** The settings `KETHUB_LONG_RUN_SECONDS` and `KETHUB_OWNER_LONG_RUN_PERCENT`, the latter as a share from 0 to 1. */
export interface LongRunLimits {
  readonly longRunSeconds: number;
  readonly longRunShare: number;
}

const GB = 2 ** 30;

/** Resources of a machine for the long executions of an owner: the share, but at least 1 processor, 1 GB and 1 GPU. */
export function longCapacity({ cpus, memoryBytes, gpus }: Capacity, share: number): Capacity {
  return {
    cpus: Math.min(cpus, Math.max(1, cpus * share)),
    memoryBytes: Math.min(memoryBytes, Math.max(GB, memoryBytes * share)),
    gpus: Object.fromEntries(
      Object.entries(gpus).map(([type, count]) => [type, Math.max(1, Math.floor(count * share))]),
    ),
  };
}

/** Reasons why a long execution fits into the share of no machine; empty if it fits, or is not long. */
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
