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
  /** One header with another value in every request, in turns; with the path of the same place in the list, if there are any. */
  readonly turns?: { readonly header: string; readonly values: readonly string[]; readonly paths?: readonly string[] };
  readonly connections: number;
  readonly seconds: number;
}

/** Requests a second that a server answers to `wrk`, which has a core of its own. Throws when one answer is an error. */
export async function requestsPerSecond(load: Load): Promise<number> {
  return (await answeredRequests(load)).perSecond;
}

/** The same, with how many they were. */
export async function answeredRequests(load: Load): Promise<{ perSecond: number; requests: number }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  try {
    const script = path.join(folder, 'request.lua');
    writeFileSync(script, lua(load));
    const args = ['-c', '1', 'wrk', '-t1', `-c${load.connections}`, `-d${load.seconds}s`, '-s', script, load.url];
    const { stdout } = await run('taskset', args);
    const errors = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout)?.[0];
    if (errors) throw new Error(`The load met errors: ${errors}\n${stdout}`);
    const [perSecond, requests] = [/Requests\/sec:\s+([\d.]+)/, /(\d+) requests in/].map(
      (one) => one.exec(stdout)?.[1],
    );
    return { perSecond: Number(perSecond), requests: Number(requests) };
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
    const table = (texts: readonly string[]): string => `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;
    // Made before the load begins: making them takes wrk longer the more of them differ.
    lines.push(`local values, paths, requests, turn = ${table(turns.values)}, ${table(turns.paths ?? [])}, {}, 0`);
    lines.push('init = function()', 'for at = 1, #values do');
    lines.push(`wrk.headers[${JSON.stringify(turns.header)}] = values[at]`);
    lines.push('requests[at] = wrk.format(nil, paths[at])', 'end', 'end');
    lines.push('request = function()', 'turn = turn % #requests + 1', 'return requests[turn]', 'end');
  }
  return `${lines.join('\n')}\n`;
}
