import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { endOf, logHas, logOf } from './observe.ts';
import { LIMITS } from './runs.ts';
import type { Traps } from './traps.ts';
import type { EscapeDriver } from './types.ts';

export interface Victim {
  /** Signs of another program, in words. */
  touched(): Promise<string[]>;
  end(): Promise<void>;
}

const VICTIM_PORT = 9_999;

/**
 * Starts an execution that holds a secret in memory, in files and behind a port, and reports when somebody touches it.
 */
export async function startVictim(driver: EscapeDriver, traps: Traps): Promise<Victim> {
  const { runtime } = driver;
  const executionId = randomUUID();
  const ended = endOf(runtime, executionId);
  const abstract = `victim-${traps.mark}`;
  const input = JSON.stringify({ secret: traps.secret, port: VICTIM_PORT, abstract });
  const limits = { ...LIMITS, runTimeMs: 900_000 };
  const program = await driver.program('victim');
  await runtime.start({ executionId, ...program, input, secrets: {}, dataPools: [], limits, warm: false });
  await logHas(runtime, executionId, 'ready');
  const status = await runtime.status();
  const { pid } = status.running.find((one) => one.executionId === executionId) ?? { pid: status.runnerPid };
  traps.hints.pids.push(pid, ...childrenOf(pid));
  traps.hints['victim'] = { id: executionId, port: VICTIM_PORT, abstract };
  return {
    async touched() {
      const signs = (await logOf(runtime, executionId)).filter(({ message }) => message.startsWith('TOUCHED'));
      const lives = (await runtime.list()).some((one) => one.executionId === executionId && one.state === 'RUNNING');
      return [...signs.map(({ message }) => `another execution was ${message}`), ...(lives ? [] : ['another execution was ended'])];
    },
    async end() {
      await runtime.cancel(executionId);
      await ended;
      await runtime.forget(executionId);
    },
  };
} // prettier-ignore

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return []; // not a process of this machine
  }
}
