import { Type, type Static, type TObject } from 'typebox';
import { Refusal } from './refusal.ts';

/** Resources of a worker's machine for executions; null is all that the machine has. */
export interface CapacitySettings {
  readonly cpus: number | null;
  readonly memoryBytes: number | null;
  /** Number of GPUs by type; the type is empty if types are not distinguished. */
  readonly gpus: Readonly<Record<string, number>>;
  /** Memory in addition, for pre-warmed processes that wait for an execution. */
  readonly warmBytes: number;
}

/** Limits on the executions of an owner, and their order. */
export interface SchedulingSettings {
  /** Most RUNNING executions of an owner on all workers; null is no limit. */
  readonly ownerAtOnce: number | null;
  /** Executions whose run time limit is at most this go first; null disables this. */
  readonly shortRunSeconds: number | null;
  /** Executions whose run time limit is above this are long. */
  readonly longRunSeconds: number;
  /** Share of each machine, from 0 to 1, for the long executions of an owner. */
  readonly longRunShare: number;
}

/** The settings of capacity and scheduling. */
export const SchedulingFields = {
  KETHUB_MAX_CONCURRENT_EXECUTIONS: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 8,
    description:
      'Executions that one worker runs at the same time, if its processors and memory are enough for them; more wait as PENDING.',
  }),
  KETHUB_WORKER_CPUS: Type.Optional(
    Type.Number({
      minimum: 0.1,
      maximum: 10_000,
      description:
        'Processors that this worker gives to executions, each to one at a time. With more than the machine has, executions are slower; this is right for services that mostly wait. Default: all that the process may use. Workers of one machine share them.',
    }),
  ),
  KETHUB_WORKER_MEMORY_MB: Type.Optional(
    Type.Integer({
      minimum: 64,
      maximum: 1_000_000_000,
      description:
        'Memory that this worker gives to executions, each byte to one at a time. Default: what the process may use, without `KETHUB_WARM_MEMORY_MB` and without 2,560 MB for the platform and for builds, but at least half.',
    }),
  ),
  KETHUB_WORKER_GPUS: Type.Optional(
    Type.String({
      pattern: '^[^\\u0000-\\u001f]{1,1000}$',
      description:
        'GPUs that this worker gives to executions, each to one at a time: a number (`2`), or numbers by type (`A100=2,T4=1`). This only counts them; it does not make them visible in a sandbox. Default: none.',
    }),
  ),
  KETHUB_OWNER_EXECUTIONS_AT_ONCE: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 100,
    description: 'Executions of one owner that run at the same time, on all workers together. 0 is no limit.',
  }),
  KETHUB_LONG_RUN_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 3_600,
    description:
      'Executions are long if their version may run for more than these seconds. Long executions of one owner take only a part of each machine, so that nobody else waits longer than this.',
  }),
  KETHUB_OWNER_LONG_RUN_PERCENT: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 50,
    description:
      'Percentage of each machine that long executions of one owner may take: of its processors, memory, GPUs and executions at the same time. It is at least one processor and 1 GB. 100 is no limit.',
  }),
  KETHUB_SHORT_RUN_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 0,
    description:
      'Seconds. Executions of versions that may run at most this long go before all others, except those that have waited for 10 minutes. 0 disables this: the order does not depend on the run time.',
  }),
};

type Given = Static<TObject<typeof SchedulingFields>>;

/** Throws Refusal for a malformed list of GPUs. */
export function capacityOf(given: Given, warmMemoryMb: number): CapacitySettings {
  return {
    cpus: given.KETHUB_WORKER_CPUS ?? null,
    memoryBytes: given.KETHUB_WORKER_MEMORY_MB === undefined ? null : given.KETHUB_WORKER_MEMORY_MB * 1024 * 1024,
    gpus: gpusOf(given.KETHUB_WORKER_GPUS),
    warmBytes: warmMemoryMb * 1024 * 1024,
  };
}

export function schedulingOf(given: Given): SchedulingSettings {
  return {
    ownerAtOnce: given.KETHUB_OWNER_EXECUTIONS_AT_ONCE || null,
    shortRunSeconds: given.KETHUB_SHORT_RUN_SECONDS || null,
    longRunSeconds: given.KETHUB_LONG_RUN_SECONDS,
    longRunShare: given.KETHUB_OWNER_LONG_RUN_PERCENT / 100,
  };
}

function gpusOf(list: string | undefined): Record<string, number> {
  if (list === undefined || list.trim() === '0') return {};
  const gpus = new Map<string, number>();
  for (const part of list.split(',')) {
    const [, type = '', count = ''] = /^\s*(?:([^=]*?)\s*=\s*)?(\d{1,4})\s*$/.exec(part) ?? [];
    if (count === '' || Number(count) === 0 || gpus.has(type) || (type === '' && list.includes(',')))
      throw new Refusal(`KETHUB_WORKER_GPUS: ${JSON.stringify(part)} is no number of GPUs. Write 2, or A100=2,T4=1.`);
    gpus.set(type, Number(count));
  }
  return Object.fromEntries(gpus);
}
