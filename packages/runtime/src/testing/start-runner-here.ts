import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../client/connection.ts';
import { startRunner } from '../client/start-runner.ts';
import { makeRunnerPaths } from '../paths.ts';
import { runnerVersion } from '../version.ts';

// Starts the runner of a data folder in the environment of this process, and ends when the runner listens. If it ended
// earlier, the next connection would start another runner.
const paths = makeRunnerPaths(process.argv[2] ?? '');
const runner = startRunner(paths, runnerVersion());
let connection: Connection | null = null;
while (connection === null) {
  if (runner.exitCode !== null) throw new Error(`The runner ended with ${runner.exitCode}; see ${paths.log}`);
  await pause(10);
  connection = await Connection.open(paths);
}
connection.close();
