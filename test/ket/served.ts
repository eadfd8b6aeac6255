import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach } from 'vitest';

const MAIN = path.resolve(import.meta.dirname, '../../apps/cli/src/main.ts');

/** The line that `ket serve --json` prints. */
export interface Said {
  readonly url: string;
  readonly mode: string;
  readonly about: string;
  readonly environment: string;
}

export interface ServeOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The command; default: ket from the sources, by this Node. */
  readonly ket?: readonly string[];
  /** Options of the process, such as another user. */
  readonly as?: { readonly uid: number; readonly gid: number };
}

/** Processes of `ket serve`, and projects for them with a blank in their path. They end with each test, and with the file. */
export function localServers() {
  const root = mkdtempSync(path.join(tmpdir(), 'kethub serve '));
  // The users of sandboxes pass through it.
  chmodSync(root, 0o755);
  const running: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of running.splice(0)) await interrupted(child);
  });
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  return {
    root,
    /** A folder with these files. Those that are bytes are programs. */
    project(files: Readonly<Record<string, string | Buffer>>): string {
      const folder = mkdtempSync(path.join(root, 'a project '));
      chmodSync(folder, 0o755);
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), text, { mode: typeof text === 'string' ? 0o644 : 0o755 });
      }
      return folder;
    },
    /** Starts `ket serve` as a process, until it says where it is. */
    async serve(
      folder: string,
      args: readonly string[] = [],
      { environment = {}, ket = [process.execPath, MAIN], as }: ServeOptions = {},
    ): Promise<Said & { child: ChildProcess; errors: () => string }> {
      const [program = '', ...before] = ket;
      const child = spawn(program, [...before, 'serve', folder, '--json', ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: root, KETHUB_CONFIG_DIR: root, ...environment },
        ...as,
      });
      running.push(child);
      let said = '';
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      for await (const text of child.stdout.setEncoding('utf8')) {
        said += String(text);
        if (said.includes('\n')) break;
      }
      const first = said.split('\n')[0] ?? '';
      if (!first.includes('"url"')) throw new Error(`ket serve ended: ${said}${errors}`);
      return { ...(JSON.parse(first) as Said), child, errors: () => errors };
    },
  };
}

/** Ends a process by Ctrl-C. */
export async function interrupted(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
  return child.exitCode;
}

/** Starts an execution and waits for its end. */
export async function call(url: string, input: unknown, wait = 'wait=60'): Promise<{ id: string; status: string }> {
  const headers = { 'content-type': 'application/json', prefer: wait };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) });
  return (await answer.json()) as { id: string; status: string };
}

export async function resultOf(url: string, id: string): Promise<Record<string, unknown>> {
  return (await (await fetch(`${url}${id}/result`)).json()) as Record<string, unknown>;
}

export async function statusOf(url: string, id: string): Promise<string> {
  return ((await (await fetch(`${url}${id}`)).json()) as { status: string }).status;
}

export async function logOf(url: string, id: string): Promise<string> {
  return (await fetch(`${url}${id}/log`, { headers: { accept: 'text/plain' } })).text();
}

/** Command lines of processes that name this folder. */
export function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((command) => command.includes(folder));
}
