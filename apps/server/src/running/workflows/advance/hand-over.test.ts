import { expect, test } from 'vitest';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { noEffects, type Effects } from './effects.ts';
import { HandOver, type JobExecutor } from './hand-over.ts';

class Slots implements JobExecutor {
  readonly kept: string[] = [];
  readonly begun: string[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  reserve(owner: string): number | null {
    if (this.kept.length >= this.#most) return null;
    this.kept.push(owner);
    return 10_000;
  }

  release(owner: string): void {
    this.kept.splice(this.kept.indexOf(owner), 1);
  }

  begin(jobs: readonly WorkflowJobRow[]): void {
    this.begun.push(...jobs.map(({ id }) => id));
  }
}

function job(id: string, instance_id: string): WorkflowJobRow {
  return {
    id,
    instance_id,
    owner: 'ada',
    job: 1,
    element_id: 'task',
    state: 'OPEN',
    service: '{}',
    input: '{}',
    application_id: null,
    due: 0,
    attempts: 0,
    locked_until: 0,
    lease: 0,
    caller: null,
    service_version_id: null,
    address: null,
  };
}

function effectsOf(jobs: WorkflowJobRow[], jobsToCancel: Effects['jobsToCancel'] = []): Effects {
  return { ...noEffects(), jobs, jobsToCancel };
}

test('jobs for which there is a slot are written as claimed and begun, others wait', () => {
  const slots = new Slots(1);
  const jobs = [job('a', 'one'), job('b', 'two')];
  const handOver = new HandOver(slots);
  handOver.reserve(effectsOf(jobs), new Set());
  expect(jobs.map(({ locked_until }) => locked_until)).toEqual([10_000, 0]);
  expect(handOver.size).toBe(1);
  handOver.begin();
  handOver.release();
  expect(slots).toMatchObject({ begun: ['a'], kept: ['ada'] });
});

test('jobs that the same batch takes back are not begun', () => {
  const slots = new Slots(9);
  const handOver = new HandOver(slots);
  const jobs = [job('a', 'cancelled'), job('b', 'given up'), job('c', 'three')];
  handOver.reserve(effectsOf(jobs, [{ instance_id: 'cancelled', number: 1 }]), new Set(['given up']));
  handOver.begin();
  expect(slots.begun).toEqual(['c']);
});

test('slots are given back when nothing is written, and when a transaction is tried again', () => {
  const slots = new Slots(2);
  const handOver = new HandOver(slots);
  handOver.reserve(effectsOf([job('a', 'one')]), new Set());
  handOver.reserve(effectsOf([job('again', 'one')]), new Set());
  expect(slots.kept).toEqual(['ada']);
  handOver.release();
  expect(slots.kept).toEqual([]);
  handOver.begin();
  expect(slots.begun).toEqual([]);
});
