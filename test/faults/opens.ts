import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface OpenCounter {
  /** How often each file was opened since the count began, by name. */
  stop(): Promise<ReadonlyMap<string, number>>;
}

/**
 * Counts with inotify how often processes, in whatever sandbox, open the files of a folder. The kernel may tell of two
 * opens of one file as one when they follow each other at once, never of opens of different files.
 */
export async function countOpens(folder: string): Promise<OpenCounter> {
  const watcher = spawn('inotifywait', ['--monitor', '--event', 'open', '--format', '%f', folder]);
  const opens = new Map<string, number>();
  createInterface(watcher.stdout).on('line', (file) => {
    // The folder itself has no name.
    if (file !== '') opens.set(file, (opens.get(file) ?? 0) + 1);
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
