import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A running nginx of Debian. */
export interface Nginx {
  /** Takes another configuration, and resolves when no request is handled by the one before any more. */
  configure(http: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts nginx with this content of its block `http`. All its files are below the folder. */
export async function startNginx(folder: string, http: string, port: number): Promise<Nginx> {
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(folder, name)};`,
  );
  const file = path.join(folder, 'nginx.conf');
  const log = path.join(folder, 'nginx.log');
  const write = (content: string): Promise<void> =>
    writeFile(
      file,
      `daemon off;\nuser root;\npid ${path.join(folder, 'nginx.pid')};\nerror_log ${log};\nevents {}\nhttp {\naccess_log off;\n${kept.join('\n')}\n${content}}\n`,
    );
  await write(http);
  const nginx = spawn('/usr/sbin/nginx', ['-c', file, '-e', log], { stdio: 'ignore' });
  for (;;) {
    if (nginx.exitCode !== null) throw new Error(`nginx has ended: ${await readFile(log, 'utf8')}`);
    // The one behind it may not have started yet.
    if (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null)) break;
    await pause(50);
  }
  return {
    async configure(content) {
      const before = workersOf(nginx.pid ?? 0);
      await write(content);
      nginx.kill('SIGHUP');
      while (before.some((pid) => accepts(pid))) await pause(20);
    },
    async stop() {
      const ended = once(nginx, 'exit');
      nginx.kill('SIGQUIT');
      await ended;
    },
  };
}

function workersOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}

/** Returns whether a worker of nginx takes connections: it names itself otherwise before it ends. */
function accepts(pid: string): boolean {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return title !== '' && !title.includes('shutting down');
  } catch {
    return false;
  }
}
