import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';

const POSTGRES = path.resolve(import.meta.dirname, '../script/postgres.ts');
const SMALL = 'mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$0" "$@"';

/** A program that starts a PostgreSQL, prints the process and the folder of it, and goes on with this. */
const program = (then: string): string => `
  import { readFileSync } from 'node:fs';
  const { startPostgres } = await import(${JSON.stringify(POSTGRES)});
  const postgres = await startPostgres({ durable: false, say: (line) => console.error(line) });
  const words = readFileSync('/proc/' + postgres.pid + '/cmdline', 'utf8').split('\\0');
  console.log(JSON.stringify({ pid: postgres.pid, data: words[words.indexOf('-D') + 1] }));
  ${then}`;
const node = (then: string): string[] => ['--input-type=module', '--eval', program(then)];

interface Started {
  readonly pid: number;
  readonly data: string;
}

// Each start makes a database, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

test('a /dev/shm of 64 MB: the data are on the disk, and a line says so', async ({ skip }) => {
  const isolated = promisify(execFile)('unshare', ['--mount', 'true']).then(
    () => true,
    () => false,
  );
  skip(!(await isolated), 'this machine lets nobody mount');
  const args = ['--mount', 'sh', '-c', SMALL, process.execPath, ...node('await postgres.stop();')];
  const { stdout, stderr } = await promisify(execFile)('unshare', args);
  const { data } = JSON.parse(stdout) as Started;
  expect(data).not.toMatch(/^\/dev\/shm/);
  expect(stderr).toMatch(/\/dev\/shm has room for 6\d MB of 4096 MB, so PostgreSQL keeps its data in /);
});

test('the next start removes the PostgreSQL of a run that was killed, and no other', async () => {
  const start = async (): Promise<{ child: ReturnType<typeof spawn>; started: Started }> => {
    const child = spawn(process.execPath, node('setInterval(() => {}, 1000);'), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, started: JSON.parse(said.toString()) as Started };
  };
  const end = async (child: ReturnType<typeof spawn>): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const [killed, alive] = [await start(), await start()];
  await end(killed.child);
  expect(existsSync(killed.started.data)).toBe(true);
  await promisify(execFile)(process.execPath, node('await postgres.stop();'));
  expect(existsSync(path.dirname(killed.started.data))).toBe(false);
  expect(commandOf(killed.started)).not.toContain(killed.started.data);
  expect(existsSync(alive.started.data)).toBe(true);
  await end(alive.child);
  await promisify(execFile)(process.execPath, node('await postgres.stop();'));
  expect(existsSync(path.dirname(alive.started.data))).toBe(false);
});

function commandOf({ pid }: Started): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
