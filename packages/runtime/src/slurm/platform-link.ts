import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { boundedText } from '../bounded-text.ts';

/** The way from a batch job to its platform. The token opens the transfers of one execution. */
export interface LinkSettings {
  readonly url: string;
  readonly executionId: string;
  readonly token: string;
  /** Certificates of the platform's authority; null for those of the machine. */
  readonly ca: string | null;
}

/** Milliseconds without a byte, beyond which a connection counts as lost. */
const SILENT_MS = 120_000;
/** Bytes of an answer: a job with its input of 16 MiB and its secrets, as JSON. A longer one counts as no answer. */
const ANSWER_BYTES = 128 * 1024 * 1024;
/** Bytes that are read of a refusal. */
const REFUSAL_BYTES = 2_000;
/** Milliseconds of the longest pause between two attempts. */
const LONGEST_PAUSE_MS = 5_000;

export interface Said {
  readonly status: number;
  readonly text: string;
}

/** The platform does not give it out, now or later. */
export class Refused extends Error {}

/** Sends requests to the platform. It tries again while the platform is away: the cluster limits the time of the job. */
export class PlatformLink {
  readonly #settings: LinkSettings;
  /** Tells this job from another one with the same token. */
  readonly #job = randomUUID();

  constructor(settings: LinkSettings) {
    this.#settings = settings;
  }

  async ask(method: string, path: string, body: Buffer = Buffer.alloc(0)): Promise<Said> {
    return this.#persist(method, path, body.length, () => body, said);
  }

  async sendFile(path: string, file: string): Promise<Said> {
    return this.#persist('PUT', path, statSync(file).size, () => createReadStream(file), said);
  }

  /** Opens a body that is read as it comes. @throws Refused for an answer that is no success. */
  async open(path: string): Promise<IncomingMessage> {
    const none = Buffer.alloc(0);
    const answer = await this.#persist('GET', path, 0, () => none, (one) => Promise.resolve(one)); // prettier-ignore
    if (answer.statusCode === 200) return answer;
    throw new Refused(`the platform answered ${answer.statusCode}: ${(await beginningOf(answer)).slice(0, 500)}`);
  }

  async pause(attempt: number): Promise<void> {
    await pause(Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(attempt, 10)));
  }

  async #persist<T>(
    method: string,
    path: string,
    bytes: number,
    body: () => Buffer | Readable,
    read: (answer: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#request(method, path, bytes, body());
        if ((answer.statusCode ?? 0) < 500) return await read(answer);
        console.error(`the platform cannot do it at the moment: ${(await beginningOf(answer)).slice(0, 500)}`);
      } catch (error) {
        console.error(`the platform is not reached: ${String(error)}`);
      }
      await this.pause(attempt);
    }
  }

  #request(method: string, path: string, bytes: number, body: Buffer | Readable): Promise<IncomingMessage> {
    const { url, executionId, token, ca } = this.#settings;
    const headers = { authorization: `Bearer ${token}`, 'x-kethub-pod': this.#job, 'content-length': bytes };
    const options = { method, headers, timeout: SILENT_MS, ...(ca !== null && { ca }) };
    const where = new URL(`/pods/${encodeURIComponent(executionId)}${path}`, url);
    return new Promise((resolve, reject) => {
      const request = where.protocol === 'https:' ? https.request(where, options) : http.request(where, options);
      // Further errors of the same request must not end the process.
      request.once('response', resolve).on('error', reject);
      request.once('timeout', () => request.destroy(new Error('no answer')));
      if (Buffer.isBuffer(body)) {
        request.end(body);
        return;
      }
      // A file is closed also when the connection fails.
      request.once('close', () => body.destroy());
      body.once('error', (error) => request.destroy(error)).pipe(request);
    });
  }
}

async function said(answer: IncomingMessage): Promise<Said> {
  const status = answer.statusCode ?? 0;
  return { status, text: status < 300 ? await boundedText(answer, ANSWER_BYTES) : await beginningOf(answer) };
}

/** The first bytes of a refusal. The connection ends when there are more. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= REFUSAL_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, REFUSAL_BYTES).toString('utf8');
}
