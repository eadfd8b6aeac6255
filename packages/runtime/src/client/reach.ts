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
/** Milliseconds for which a platform lets one of another version, which has ended the runner, start its own first. */
const GIVE_WAY_MS = 100;
/** Failed starts in a row after which the runner counts as unreachable. */
const MOST_FAILURES = 5;

/**
 * Connects to the runner of a data folder, and starts one when none listens. A runner of another version is asked to
 * retire. It does so at once when it is idle. Otherwise it is used until its executions have ended, if it speaks our
 * protocol.
 * @param mayReplace is false for a platform that has had a runner of its own version. A platform of another version has
 * replaced that runner since, and both use the new one. If each replaced the other's, they would never end.
 * @throws RuntimeUnavailable in words for the operator, with the end of the runner's log, when none can be reached. When
 * the runner is of another protocol and may not be replaced, the error says so.
 */
export async function reachRunner(
  paths: RunnerPaths,
  version: string,
  settings: Settings,
  mayReplace: boolean,
): Promise<Connection> {
  const deadline = performance.now() + DEADLINE_MS;
  let started: ChildProcess | null = null;
  let failures = 0;
  if (!mayReplace) await pause(GIVE_WAY_MS);
  while (performance.now() < deadline) {
    const connection = await Connection.open(paths);
    if (connection !== null) {
      if (!mayReplace) requireProtocol(connection, paths);
      if (await isOurs(connection, version, settings, deadline, mayReplace)) return connection;
      started = null;
      failures = 0;
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
  const why =
    failures >= MOST_FAILURES
      ? `ended at each of ${failures} starts. Remove the cause that its log names, then start the platform again.`
      : `has not answered within ${DEADLINE_MS / 1_000} seconds. On a busy machine it takes longer: give it more processor time, then start the platform again.`;
  throw new RuntimeUnavailable(
    `The runner of ${paths.runtimeDir} ${why} The end of ${paths.log}:\n${lastWords(paths)}`,
  );
}

async function isOurs(
  connection: Connection,
  version: string,
  settings: Settings,
  deadline: number,
  mayReplace: boolean,
): Promise<boolean> {
  try {
    if (mayReplace && !(await isUsable(connection, version, deadline))) return false;
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

function requireProtocol(connection: Connection, { runtimeDir }: RunnerPaths): void {
  const { protocol } = connection.welcome;
  if (protocol === PROTOCOL) return;
  connection.close();
  throw new RuntimeUnavailable(
    `The runner of ${runtimeDir} speaks protocol ${protocol}, and this platform ${PROTOCOL}. A platform of another version ` +
      `has started it on the same data folder. Stop one of the two platforms.`,
  );
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
