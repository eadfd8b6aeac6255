import os from 'node:os';
import { expect, test } from 'vitest';
import { readConfiguration } from '../config/index.ts';
import { capacityOf, lacking } from './capacity.ts';

const given = (settings: Record<string, string>) => capacityOf(readConfiguration(settings).capacity);

test('a worker gives what the machine has, less what the platform needs', () => {
  const { cpus, memoryBytes, gpus } = given({});
  expect(cpus).toBe(os.availableParallelism());
  expect(memoryBytes).toBeGreaterThan(0);
  expect(memoryBytes).toBeLessThan(os.totalmem());
  expect(gpus).toEqual({});
});

test('or as configured', () => {
  const settings = { KETHUB_WORKER_CPUS: '1.5', KETHUB_WORKER_MEMORY_MB: '1024', KETHUB_WORKER_GPUS: 'A100=2, T4=1' };
  expect(given(settings)).toEqual({ cpus: 1.5, memoryBytes: 2 ** 30, gpus: { A100: 2, T4: 1 } });
  expect(given({ KETHUB_WORKER_GPUS: '3' }).gpus).toEqual({ '': 3 });
  expect(given({ KETHUB_WORKER_GPUS: '0' }).gpus).toEqual({});
});

test.each(['A100', 'A100=', 'A100=0', 'A100=1,A100=2', '2,T4=1', '-1', '99999', 'A100=1,'])(
  'KETHUB_WORKER_GPUS=%s is refused',
  (list) => {
    expect(() => given({ KETHUB_WORKER_GPUS: list })).toThrow('KETHUB_WORKER_GPUS');
  },
);

test('what no machine has alone is refused, also when all have it together', () => {
  const small = { cpus: 8, memoryBytes: 1, gpus: {} };
  const large = { cpus: 1, memoryBytes: 100, gpus: {} };
  const needs = { cpus: 4, memoryBytes: 50, gpus: 0, gpuType: null };
  expect(lacking({ ...needs, cpus: 1 }, [small, large])).toEqual([]);
  expect(lacking(needs, [small, large])).toMatchObject([{ detail: expect.stringContaining('together') }]);
  expect(lacking({ ...needs, cpus: 9, gpus: 1 }, [small, large]).map(({ member }) => member)).toEqual(['cpus', 'gpu']);
});
