import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import type { RunnerPaths } from '../paths.ts';
import { PROTOCOL, type Settings } from '../protocol/messages.ts';
import { RuntimeUnavailable } from '../types.ts';
import { Connection } from './connection.ts';
import { startRunner } from './start-runner.ts';

/**
 * Milliseconds to reach a runner. A first start copies Python's environment, which takes less than 2 s on two busy
 * cores.
 */
const DEADLINE_MS = 30_000;
/** Milliseconds between two attempts to connect. */
const LOOK_AGAIN_MS = 10;
/** Failed starts after which the runner counts as unreachable. */
const MOST_FAILURES = 5;

/**
 * Connects to the runner of a data folder, and starts one when none listens. A runner of another version is asked to
 * retire. It does so at once when it is idle. Otherwise it is used until its executions have ended, if it speaks our
 * protocol.
 * @throws RuntimeUnavailable with the end of the runner's log when none can be reached.
 */
export async function reachRunner(paths: RunnerPaths, version: string, settings: Settings): Promise<Connection> {
  const deadline = performance.now() + DEADLINE_MS;
  let started: ChildProcess | null = null;
  let failures = 0;
  while (performance.now() < deadline) {
    const connection = await Connection.open(paths);
    if (connection !== null) {
      if (await isOurs(connection, version, settings, deadline)) return connection;
      started = null;
    } else if (started === null || started.exitCode !== null || started.signalCode !== null) {
      // Code 0: another runner holds the folder, and does not listen yet or any more.
      if (started !== null && started.exitCode !== 0) failures += 1;
      if (failures >= MOST_FAILURES) break;
      started = startRunner(paths, version);
      started.on('error', (error) => {
        console.error(`the runner could not be started: ${error.message}`);
      });
    }
    await pause(LOOK_AGAIN_MS);
  }
  throw new RuntimeUnavailable(
    `No runner can be reached for ${paths.runtimeDir}. Its last words in ${paths.log}:\n${lastWords(paths)}`,
  );
}

async function isOurs(connection: Connection, version: string, settings: Settings, deadline: number): Promise<boolean> {
  try {
    if (!(await isUsable(connection, version, deadline))) return false;
    await connection.request('configure', { settings });
    return true;
  } catch (error) {
    if (error instanceof RuntimeUnavailable) return false; // it ended meanwhile; the next one will be ours
    throw error;
  }
}

async function isUsable(connection: Connection, version: string, deadline: number): Promise<boolean> {
  const { welcome } = connection;
  if (welcome.version === version) return true;
  await connection.request('retire', {});
  if (welcome.protocol === PROTOCOL) {
    const { running, commands } = await connection.request('status', {});
    if (running.length > 0 || commands > 0) return true;
  }
  await Promise.race([connection.closed, pause(Math.max(0, deadline - performance.now()), null, { ref: false })]);
  connection.close();
  return false;
}

function lastWords({ log }: RunnerPaths): string {
  if (!existsSync(log)) return '(nothing)';
  const file = openSync(log, 'r');
  try {
    const { size } = fstatSync(file);
    const words = Buffer.alloc(Math.min(size, 2_000));
    readSync(file, words, 0, words.length, size - words.length);
    return words.toString('utf8');
  } finally {
    closeSync(file);
  }
}
