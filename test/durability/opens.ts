import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface OpenCounter {
  /** How often the compiled program was opened since the count began. */
  stop(): Promise<number>;
}

/** Counts with inotify how often processes, in whatever sandbox, open the compiled program of a source folder. */
export async function countOpens(sourceFolder: string): Promise<OpenCounter> {
  const folder = path.join(sourceFolder, 'src', '__pycache__');
  const watcher = spawn('inotifywait', ['--monitor', '--event', 'open', '--format', '%f', folder]);
  let opens = 0;
  createInterface(watcher.stdout).on('line', (file) => {
    if (/^program\..*\.pyc$/.test(file)) opens += 1;
  });
  for await (const line of createInterface(watcher.stderr)) if (line.includes('Watches established')) break;
  return {
    async stop() {
      const ended = once(watcher, 'close');
      watcher.kill('SIGTERM');
      await ended;
      return opens;
    },
  };
}
