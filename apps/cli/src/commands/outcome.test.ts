import { expect, test } from 'vitest';
import type { ExecutionsEndpoint } from '@kethub/client';
import type { ServiceExecution } from '@kethub/contract';
import { shellOfProcess, type Shell } from '../shell.ts';
import { createOutput } from '../terminal/output.ts';
import { showOutcome } from './outcome.ts';

const at = '2026-01-01 00:00:00';
const failed = { id: 'e1', status: 'FAILED', createdAt: at, endedAt: at } as ServiceExecution;

/** The output, on a terminal or in a file, about an execution that failed with this cause. */
async function shown(result: object, terminal = false): Promise<string[]> {
  let text = '';
  const stderr = { isTTY: terminal, columns: 80, write: (piece: string) => (text += piece) };
  const shell = { ...shellOfProcess(), command: 'ket', environment: { NO_COLOR: '1' }, stderr } as unknown as Shell;
  const response = async () => Response.json(result);
  const executions = { getResult: { response }, endpoint: 'http://a/' } as unknown as ExecutionsEndpoint;
  await showOutcome(shell, createOutput({ ...shell, json: false }), executions, failed, null);
  expect(shell.exitCode).toBe(1);
  return text.trimEnd().split('\n');
}

const logs = '  ket logs e1    shows what the code has written';

test('a service that failed says why', async () => {
  expect(await shown({ title: 'ValueError', detail: 'too small' })).toEqual(['FAILED ValueError: too small', logs]);
});

test('a workflow that failed says where and why, a line for each error', async () => {
  const errors = [
    { errorCode: 'HUB_SERVICE_FAILED', failedElement: 'solve', message: 'no nodes', serviceId: 's', response: {} },
    { errorCode: 'TOO_SMALL', failedElement: 'End_1', message: 'of two\r\n  lines' },
  ];
  expect(await shown({ errors })).toEqual([
    'FAILED',
    '  HUB_SERVICE_FAILED at solve: no nodes',
    '  TOO_SMALL at End_1: of two lines',
    logs,
  ]);
});

test('of many errors ten are shown, and how many more there are', async () => {
  const errors = Array.from({ length: 13 }, (_, index) => ({
    errorCode: 'WORKFLOW_ERROR',
    failedElement: `task_${index + 1}`,
    message: 'no',
  }));
  const lines = await shown({ errors });
  expect(lines.slice(1, -1)).toHaveLength(11);
  expect(lines.slice(10, -1)).toEqual([
    '  WORKFLOW_ERROR at task_10: no',
    '  and 3 more; all of them: ket result e1 --json',
  ]);
});

test('an error cannot steer the terminal', async () => {
  const errors = [{ errorCode: 'A\u001B[2J', failedElement: 'b\u0007', message: 'c\u0085d' }];
  expect(await shown({ errors }, true)).toContain('  A at b\u{FFFD}: c\u{FFFD}d');
});

test.each([[null], ['text'], [[null, 'text', { pointer: '/a' }]]])('errors that are none: %j', async (errors) => {
  expect(await shown({ title: 'Odd', errors })).toEqual(['FAILED Odd', logs]);
});
