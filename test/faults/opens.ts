import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Counts how often the code of each mark has run. */
export interface RunCounter {
  /** Number of runs since the count began, by mark. */
  stop(): Promise<ReadonlyMap<string, number>>;
}

/**
 * Counts with inotify how often processes, in any sandbox, open the files of a folder. The kernel may merge two opens
 * of one file that follow each other directly, but never opens of different files.
 */
export async function countOpens(folder: string): Promise<RunCounter> {
  const watcher = spawn('inotifywait', ['--monitor', '--event', 'open', '--format', '%f', folder]);
  const opens = new Map<string, number>();
  createInterface(watcher.stdout).on('line', (file) => {
    // Events of the folder itself have no name.
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
