import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import type { Implementation } from '@kethub/contract';
import { GitClient } from './git-client.ts';
import type { TestKethub } from './kethub.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Requests to one repository that no Git client sends. */
export class RawGit {
  readonly url: string;
  readonly token: string;

  constructor({ cloneUrl }: Pick<Implementation, 'cloneUrl'>, token: string) {
    this.url = cloneUrl;
    this.token = token;
  }

  /** A request with its own connection, whose body the caller writes. */
  begin(method: string, path: string, headers: http.OutgoingHttpHeaders = {}): ClientRequest {
    const authorization = `Basic ${btoa(`x:${this.token}`)}`;
    const request = http.request(`${this.url}${path}`, {
      method,
      agent: false,
      headers: { ...(this.token !== '' && { authorization }), ...headers },
    });
    request.on('error', () => undefined);
    return request;
  }

  async ask(
    method: string,
    path: string,
    body: string | Buffer = '',
    headers: http.OutgoingHttpHeaders = {},
  ): Promise<RawAnswer> {
    const request = this.begin(method, path, { 'content-length': Buffer.byteLength(body), ...headers });
    request.end(body);
    return answerOf(request);
  }

  push(body: Buffer, headers: http.OutgoingHttpHeaders = {}): Promise<RawAnswer> {
    return this.ask('POST', '/git-receive-pack', body, headers);
  }

  fetch(body: Buffer, headers: http.OutgoingHttpHeaders = {}): Promise<RawAnswer> {
    return this.ask('POST', '/git-upload-pack', body, headers);
  }
}

/** Waits for all of an answer. */
export async function answerOf(request: ClientRequest): Promise<RawAnswer> {
  const response = await responseOf(request);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}

export function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
}

/** Path of a repository in the data folder. */
export function repositoryOf({ dataDir }: Pick<TestKethub, 'dataDir'>, { id }: Pick<Implementation, 'id'>): string {
  return path.join(dataDir, 'repositories', id.slice(-2), `${id}.git`);
}

/** The ids of processes that work on a repository. */
export function processesOn(repository: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(repository) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

const LEFTOVER = /\.lock$|(?:^|\/)(?:tmp_|incoming-|\.tmp-)|^kethub-index-/;

/** Locks and what did not arrive, in a repository. */
export async function leftoversIn(repository: string): Promise<string[]> {
  return (await readdir(repository, { recursive: true })).filter((name) => LEFTOVER.test(name));
}

/** Waits until no process works on a repository and nothing of an ended one is left. Readers that stay are excepted. */
export async function untilQuiet(repository: string): Promise<void> {
  for (let attempt = 0; attempt < 1_500; attempt++) {
    if (processesOn(repository).length === 0 && (await leftoversIn(repository)).length === 0) return;
    await pause(20);
  }
  throw new Error(
    `Left after 30 s: ${JSON.stringify({ pids: processesOn(repository), files: await leftoversIn(repository) })}`,
  );
}

/** Throws unless every object of a repository is whole. */
export async function requireWhole(client: GitClient, repository: string): Promise<void> {
  await client.run('', '--git-dir', repository, 'fsck', '--full', '--strict', '--no-dangling');
}
