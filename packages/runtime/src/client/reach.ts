import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import type { Places } from '../places.ts';
import { PROTOCOL } from '../protocol/messages.ts';
import { RuntimeUnavailable } from '../types.ts';
import { Connection } from './connection.ts';
import { startRunner } from './start-runner.ts';

/** The first start copies Python's surroundings: below 2 s on two busy cores. */
const DEADLINE_MS = 30_000;
const LOOK_AGAIN_MS = 10;
const STARTS = 5;

/**
 * Connects to the runner of a data folder, starting one when none listens. A runner of another version is asked to give
 * way: at once when it is idle, otherwise it is used until it has ended what it runs, as long as it speaks our protocol.
 * @throws RuntimeUnavailable with the last words of the runner when none can be reached.
 */
export async function reachRunner(places: Places, version: string): Promise<Connection> {
  const deadline = Date.now() + DEADLINE_MS;
  let started: ChildProcess | null = null;
  let starts = 0;
  while (Date.now() < deadline) {
    const connection = await Connection.open(places);
    if (connection !== null) {
      if (await isUsable(connection, version, deadline)) return connection;
      started = null;
    } else if (started === null || started.exitCode !== null || started.signalCode !== null) {
      if (++starts > STARTS) break;
      started = startRunner(places, version);
      started.on('error', (error) => {
        console.error(`the runner could not be started: ${error.message}`);
      });
    }
    await pause(LOOK_AGAIN_MS);
  }
  throw new RuntimeUnavailable(
    `No runner can be reached for ${places.runtimeDir}. Its last words in ${places.log}:\n${lastWords(places)}`,
  );
}

async function isUsable(connection: Connection, version: string, deadline: number): Promise<boolean> {
  const { welcome } = connection;
  if (welcome.version === version) return true;
  await connection.request('retire', {});
  if (welcome.protocol === PROTOCOL) {
    const { running, commands } = await connection.request('status', {});
    if (running.length > 0 || commands > 0) return true;
  }
  await Promise.race([connection.closed, pause(Math.max(0, deadline - Date.now()), null, { ref: false })]);
  connection.close();
  return false;
}

function lastWords({ log }: Places): string {
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
