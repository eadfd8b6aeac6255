import { describe, expect, test } from 'vitest';
import { PASSED_OVER_MS, plan } from './plan.ts';
import type { Queue, Situation } from './situation.ts';
import { OVERTAKEN_MS } from './owner-queues.ts';

const GB = 2 ** 30;
const one = { cpus: 1, memoryBytes: GB, gpus: 0, gpuType: null };
const machine = { cpus: 4, memoryBytes: 16 * GB, gpus: {} };
const NOW = 1_000_000_000;

function queue(ownerId: string, changed: Partial<Queue> = {}): Queue {
  return {
    ownerId,
    versionId: 'version',
    serviceId: 'service',
    serviceAtOnce: null,
    turnAt: NOW - 1_000,
    head: `${ownerId}-1`,
    headCreatedAt: NOW - 1_000,
    needs: one,
    runTimeSeconds: 3_600,
    ...changed,
  };
}

/** The owners of what is started, in order. */
function starts(queues: Queue[], changed: Partial<Situation> = {}): string[] {
  const situation = {
    queues,
    running: [],
    capacity: machine,
    promised: [],
    slots: 8,
    ownerAtOnce: null,
    shortRunSeconds: null,
    longRunSeconds: 3_600,
    longRunShare: 0.5,
    longRunning: [],
    now: NOW,
    ...changed,
  };
  return plan(situation).map((start) => start.queue.ownerId);
}
const running = (ownerId: string, executions: number, changed = {}) => ({
  ownerId,
  serviceId: 'service',
  executions,
  cpus: executions,
  memoryBytes: executions * GB,
  ...changed,
});

describe('whose turn it is', () => {
  test('owners who have nothing running come first, whoever was there before', () => {
    const queues = [queue('many', { turnAt: 0 }), queue('few', { turnAt: NOW })];
    expect(starts(queues, { slots: 1, running: [running('many', 2)] })).toEqual(['few']);
  });

  test('of owners who are even the one whose last turn is the longest ago', () => {
    expect(starts([queue('a', { turnAt: 3 }), queue('b', { turnAt: 1 }), queue('c', { turnAt: 2 })])).toEqual([
      'b',
      'c',
      'a',
      'b',
    ]);
  });

  test('of one owner the oldest, whatever its service', () => {
    const queues = [queue('a', { versionId: 'v', head: '2' }), queue('a', { versionId: 'w', head: '1' })];
    const [start] = plan({ ...situationOf(queues), slots: 1 });
    expect(start?.queue.versionId).toBe('w');
  });

  test('an owner has one turn for all their queues', () => {
    const queues = [
      queue('a', { versionId: 'v', turnAt: 1, head: 'a-9' }),
      queue('b', { turnAt: 3 }),
      queue('a', { versionId: 'w', turnAt: 5, head: 'a-1' }),
    ];
    for (const order of [queues, queues.toReversed()]) {
      const [first, second] = plan({ ...situationOf(order), slots: 2 });
      expect([first?.queue.head, second?.queue.head]).toEqual(['a-1', 'b-1']);
    }
  });

  test('thousands of queues that cannot be started delay nobody', () => {
    const large = Array.from({ length: 20_000 }, (_, number) =>
      queue(`owner ${number % 5_000}`, {
        versionId: `v${number}`,
        head: `h${number}`,
        needs: { ...one, cpus: 64 },
        turnAt: 0,
      }),
    );
    // To compare each with each would take longer than a test may.
    expect(starts([...large, queue('small')])).toEqual(['small', 'small', 'small', 'small']);
  });

  test('what counts is the share of the machine, not the number', () => {
    const large = queue('large', { needs: { ...one, memoryBytes: 6 * GB }, turnAt: 1 });
    expect(starts([large, queue('small', { turnAt: 2 })])).toEqual(['large', 'small', 'small', 'large']);
  });

  test('short ones go first only where it is set, and not for ever', () => {
    const long = queue('long', { turnAt: 1 });
    const short = queue('short', { runTimeSeconds: 10, turnAt: 2 });
    expect(starts([long, short], { slots: 1 })).toEqual(['long']);
    expect(starts([long, short], { slots: 1, shortRunSeconds: 10 })).toEqual(['short']);
    const patient = { ...long, headCreatedAt: NOW - OVERTAKEN_MS - 1 };
    expect(starts([patient, short], { slots: 1, shortRunSeconds: 10 })).toEqual(['long']);
  });
});

describe('what has room', () => {
  test('processors and memory are promised once', () => {
    expect(starts([queue('a')])).toHaveLength(4);
    expect(starts([queue('a')], { promised: [one, { ...one, cpus: 2.5 }] })).toHaveLength(0);
    expect(starts([queue('a', { needs: { ...one, cpus: 0.1, memoryBytes: 5 * GB } })])).toHaveLength(3);
    expect(starts([queue('a', { needs: { ...one, cpus: 0.1, memoryBytes: 1 } })], { slots: 100 })).toHaveLength(40);
  });

  test('no more than there are slots', () => {
    expect(starts([queue('a')], { slots: 3 })).toHaveLength(3);
  });

  test('GPUs are counted by type', () => {
    const capacity = { ...machine, gpus: { A100: 1, T4: 3 } };
    const wanting = (gpus: number, gpuType: string | null) =>
      queue('a', { needs: { ...one, cpus: 0.1, gpus, gpuType } });
    expect(starts([wanting(1, 'a100')], { capacity })).toHaveLength(1);
    expect(starts([wanting(2, 'T4')], { capacity })).toHaveLength(1);
    expect(plan({ ...situationOf([wanting(1, null)]), capacity }).map(({ given }) => given.gpuType)).toEqual([
      'A100',
      'T4',
      'T4',
      'T4',
    ]);
    expect(starts([wanting(1, null)], { capacity, promised: [{ ...one, gpus: 3, gpuType: 'T4' }] })).toHaveLength(1);
    expect(starts([wanting(1, null)])).toHaveLength(0);
  });

  test('what does not fit is passed over, but not for ever', () => {
    const large = queue('large', { needs: { ...one, cpus: 4 }, turnAt: 1 });
    const promised = [one];
    expect(starts([large, queue('small')], { promised })).toEqual(['small', 'small', 'small']);
    const patient = { ...large, headCreatedAt: NOW - PASSED_OVER_MS - 1 };
    expect(starts([patient, queue('small')], { promised })).toEqual([]);
    expect(starts([patient, queue('small')])).toEqual(['large']);
    // One that fits no machine like this holds up nobody.
    const impossible = { ...patient, needs: { ...one, cpus: 5 } };
    expect(starts([impossible, queue('small')], { promised })).toHaveLength(3);
  });

  test('room is kept for what was passed over, and no more than that', () => {
    const patient = queue('large', { needs: { ...one, cpus: 3 }, turnAt: 1, headCreatedAt: 0 });
    const running = { ...one, cpus: 0.5 };
    expect(starts([patient, queue('small')], { promised: [one, running, running] })).toEqual([]);
    const slim = queue('slim', { needs: { ...one, cpus: 0.5 } });
    const capacity = { ...machine, cpus: 5 };
    const promised = [one, one, { ...one, cpus: 0.5 }];
    // 2.5 are left, of which 3 are kept; of two that cannot have it together one has it.
    expect(starts([patient, slim], { promised, capacity })).toEqual([]);
    const other = { ...patient, ownerId: 'other', head: 'other-1' };
    expect(
      starts([patient, other, slim], { capacity: { ...machine, cpus: 6 }, promised: [{ ...one, cpus: 3.5 }] }),
    ).toEqual([]);
  });

  test('a GPU that is waited for delays only those who want one', () => {
    const capacity = { ...machine, gpus: { A100: 1 } };
    const promised = [{ ...one, gpus: 1, gpuType: 'A100' }];
    const wanting = ['a', 'b', 'c'].map((owner) =>
      queue(owner, { needs: { ...one, cpus: 3, gpus: 1 }, turnAt: 1, headCreatedAt: 0 }),
    );
    expect(starts([...wanting, queue('small')], { capacity, promised })).toEqual(['small', 'small', 'small']);
    // Once it is free, the rest of what the first of them needs is kept as well.
    expect(starts([...wanting, queue('small')], { capacity, promised: [one, one] })).toEqual([]);
  });
});

describe('what is allowed', () => {
  test('executions of one owner at once, on all workers', () => {
    const situation = { ownerAtOnce: 3, running: [running('a', 2, { serviceId: 'other' })] };
    expect(starts([queue('a'), queue('b')], { ...situation, slots: 3 })).toEqual(['b', 'b', 'a']);
    expect(starts([queue('a')], situation)).toHaveLength(1);
  });

  test('executions of one service at once, whoever started them', () => {
    const limited = { serviceAtOnce: 2 };
    expect(starts([queue('a', limited), queue('b', limited)])).toHaveLength(2);
    expect(starts([queue('a', limited)], { running: [running('c', 1)] })).toHaveLength(1);
    expect(starts([queue('a', limited)], { running: [running('c', 2)] })).toHaveLength(0);
    expect(starts([queue('a', { ...limited, serviceId: 'other' })], { running: [running('c', 2)] })).toHaveLength(2);
  });
});

describe('long executions of one owner', () => {
  const day = { runTimeSeconds: 86_400 };
  const longRun = (ownerId: string, given = one) => ({ ownerId, given });

  test('take their share of a machine, and the rest stays free for others, and for what is short', () => {
    expect(starts([queue('a', day)])).toEqual(['a', 'a']);
    expect(starts([queue('a', day)], { longRunning: [longRun('a'), longRun('a')] })).toEqual([]);
    expect(starts([queue('a', day), queue('b', day)])).toEqual(['a', 'b', 'a', 'b']);
    expect(starts([queue('a', day), queue('b')], { longRunning: [longRun('a'), longRun('a')], slots: 2 })).toEqual(['b', 'b']); // prettier-ignore
    const short = queue('a', { versionId: 'short', head: 'a-2' });
    expect(starts([queue('a', day), short])).toEqual(['a', 'a', 'a', 'a']);
  });

  test('the share counts processors, memory and slots, each', () => {
    const large = queue('a', { ...day, needs: { ...one, memoryBytes: 7 * GB } });
    expect(starts([large])).toEqual(['a']);
    const tiny = queue('a', { ...day, needs: { ...one, cpus: 0.1, memoryBytes: GB / 16 } });
    expect(starts([tiny], { slots: 6 })).toHaveLength(3);
    expect(starts([queue('a', { ...day, needs: { ...one, cpus: 3 } })])).toEqual([]);
  });

  test('one is possible on the smallest machine, and the operator can do without', () => {
    expect(starts([queue('a', day)], { capacity: { cpus: 1, memoryBytes: GB, gpus: {} }, slots: 1 })).toEqual(['a']);
    expect(starts([queue('a', day)], { longRunShare: 1 })).toHaveLength(4);
  });
});

function situationOf(queues: Queue[]): Situation {
  return {
    queues,
    running: [],
    capacity: machine,
    promised: [],
    slots: 8,
    ownerAtOnce: null,
    shortRunSeconds: null,
    longRunSeconds: 3_600,
    longRunShare: 0.5,
    longRunning: [],
    now: NOW,
  };
}
