import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Load {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** One header with a different value in each request, in rotation. */
  readonly turns?: { readonly header: string; readonly values: readonly string[] };
  readonly connections: number;
  readonly seconds: number;
}

/** Requests per second that a server answers. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const stdout = await wrk(load, () => lua(load));
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

/**
 * Runs `wrk`, which has a core of its own, with a script that may use files in a folder. The files can be read after
 * its end. Returns its output. Throws when one answer is an error.
 */
export async function wrk(
  { url, connections, seconds }: Pick<Load, 'url' | 'connections' | 'seconds'>,
  script: (folder: string) => string,
  ended: (folder: string) => void = () => undefined,
): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  try {
    const file = path.join(folder, 'request.lua');
    writeFileSync(file, script(folder));
    const args = ['-c', '1', 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', file, url];
    const { stdout, stderr } = await run('taskset', args);
    const errors = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout)?.[0];
    if (errors) throw new Error(`The load met errors: ${errors}\n${stdout}${stderr}`);
    ended(folder);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function lua({ method = 'GET', headers = {}, body, turns }: Load): string {
  const lines = [`wrk.method = ${JSON.stringify(method)}`];
  for (const [name, value] of Object.entries(headers))
    lines.push(`wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`);
  if (body !== undefined) lines.push(`wrk.body = ${JSON.stringify(body)}`);
  if (turns) {
    // Made before the load begins: the more of them differ, the longer wrk takes to make them.
    lines.push(
      `local values, requests, turn = {${turns.values.map((value) => JSON.stringify(value)).join(',')}}, {}, 0`,
    );
    lines.push('init = function()', 'for at = 1, #values do');
    lines.push(`wrk.headers[${JSON.stringify(turns.header)}] = values[at]`);
    lines.push('requests[at] = wrk.format()', 'end', 'end');
    lines.push('request = function()', 'turn = turn % #requests + 1', 'return requests[turn]', 'end');
  }
  return `${lines.join('\n')}\n`;
}
