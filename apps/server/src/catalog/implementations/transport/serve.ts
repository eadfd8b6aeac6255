import { once } from 'node:events';
import { PassThrough, Transform, Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { limits } from '@kethub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { releaseMemory, ReleaseSent } from '../../../foundation/http/index.ts';
import type { GitEnd, GitProcess } from '../git/git.ts';
import type { GitService } from './admission.ts';
import { PushCommands } from './commands.ts';
import { GitRefusal, tooLarge } from './refusal.ts';

/** Bytes of the body of a fetch, unpacked: the names of what the client wants and has. */
const FETCH_BYTES = 16 * 1024 * 1024;
/** Bytes of a push beside its pack. */
const LIST_BYTES = 2 * 1024 * 1024;
/** Bytes that wait for Git to read them. With few of them, client and Git take turns instead of working at once. */
const WAITING_BYTES = 1024 * 1024;

const UNCACHED = {
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
};

/** The protocol version that a client asks for, if it is one that is known. */
export function protocolOf({ headers }: FastifyRequest): string | null {
  const asked = headers['git-protocol'];
  return typeof asked === 'string' && /^version=[012]$/.test(asked) ? asked : null;
}

/** Sends the refs of a repository, or the capabilities of protocol 2. */
export async function advertise(
  child: GitProcess,
  service: GitService,
  isVersion2: boolean,
  reply: FastifyReply,
): Promise<FastifyReply> {
  child.stdin.end();
  const first = isVersion2 ? '' : `${packet(`# service=${service}\n`)}0000`;
  await begun(child);
  const out = new PassThrough();
  out.write(first);
  pipeline(child.stdout, out).catch(() => child.kill());
  return reply.headers({ ...UNCACHED, 'content-type': `application/x-${service}-advertisement` }).send(out);
}

/** The unpacked body of a fetch. Throws GitRefusal for a body that cannot be accepted. */
export function bodyOfFetch(request: FastifyRequest): Transform {
  return readThrough(request, [...unpacked(request, FETCH_BYTES), limitOf(FETCH_BYTES)]);
}

/**
 * The unpacked body of a push, and its commands, which are read before Git is started. Throws GitRefusal for a body that
 * cannot be accepted.
 */
export async function bodyOfPush(request: FastifyRequest, pushBytes: number): Promise<PushCommands> {
  const most = pushBytes + LIST_BYTES;
  const commands = new PushCommands(limits.refChangesOfPush, most);
  const listed = once(commands, 'list');
  readThrough(request, [...unpacked(request, most), commands]);
  await listed.catch((error: unknown) => {
    throw refusalOfBody(error);
  });
  return commands;
}

/** Returns the last step. The failure of any step is its error. */
function readThrough({ raw }: FastifyRequest, steps: readonly Transform[]): Transform {
  const last = steps.at(-1) ?? new PassThrough();
  last.on('error', () => undefined);
  pipeline([raw, ...steps]).catch(() => undefined);
  return last;
}

/** Calls `then` when an answer is closed: at once if its client has gone already. */
export function whenClosed({ raw }: FastifyReply, then: () => void): void {
  if (raw.destroyed) then();
  else raw.once('close', then);
}

/**
 * Streams the body of a fetch to Git, and the output of Git to the client. Throws GitRefusal while nothing was answered
 * yet. A client that vanishes ends Git at once.
 */
export async function exchangeFetch(child: GitProcess, body: Readable, reply: FastifyReply): Promise<FastifyReply> {
  whenClosed(reply, () => {
    if (!reply.raw.writableFinished) child.kill();
  });
  await beginWith(child, body);
  const out = new ReleaseSent(reply.raw);
  pipeline(child.stdout, out).catch(() => child.kill());
  return reply.headers({ ...UNCACHED, 'content-type': 'application/x-git-upload-pack-result' }).send(out);
}

/**
 * Streams the body of a push to Git, and the output of Git to the client, whose answer ends when `recorded` is settled.
 * Throws GitRefusal while nothing was answered yet. A client that vanishes ends Git, unless all of the push has arrived.
 */
export async function exchangePush(
  child: GitProcess,
  body: Readable,
  recorded: Promise<void>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  whenClosed(reply, () => {
    if (!body.readableEnded) child.kill();
  });
  await beginWith(child, body);
  const out = new PassThrough();
  // Git goes on when its client has gone, so its output is read in any case. It is short.
  child.stdout.on('data', (chunk: Buffer) => {
    if (!out.destroyed) out.write(chunk);
  });
  void recorded.finally(() => out.end());
  return reply.headers({ ...UNCACHED, 'content-type': 'application/x-git-receive-pack-result' }).send(out);
}

/** Answers a push without commands: a client asks with it whether it may push. */
export function answerProbe(body: Readable, reply: FastifyReply): FastifyReply {
  body.resume();
  return reply.headers({ ...UNCACHED, 'content-type': 'application/x-git-receive-pack-result' }).send('');
}

/** Sends the body to Git and waits for the first output. An error after it can only end the connection. */
async function beginWith(child: GitProcess, body: Readable): Promise<void> {
  const received = pipeline(body, inputOf(child)).catch((error: unknown) => {
    child.kill();
    child.stdout.destroy();
    throw refusalOfBody(body.errored ?? error);
  });
  received.catch(() => undefined);
  await Promise.race([begun(child), received.then(() => begun(child))]);
}

/**
 * Passes bytes on to Git and frees their memory. When Git has closed its input, the rest is dropped: the output of Git says
 * why.
 */
function inputOf({ stdin }: GitProcess): Writable {
  return new Writable({
    highWaterMark: WAITING_BYTES,
    writev(chunks: { chunk: Buffer }[], done) {
      if (!stdin.writable) return done();
      stdin.cork();
      const last = chunks.length - 1;
      const taken = (): void => {
        for (const { chunk } of chunks) releaseMemory(chunk);
        done();
      };
      for (const [number, { chunk }] of chunks.entries()) stdin.write(chunk, number === last ? taken : undefined);
      stdin.uncork();
    },
    final(done) {
      stdin.end();
      done();
    },
    destroy(error, done) {
      stdin.destroy();
      done(error);
    },
  });
}

function refusalOfBody(error: unknown): GitRefusal {
  return error instanceof GitRefusal ? error : new GitRefusal(400, 'The request was cut off or is damaged.');
}

/** The step that unpacks a body. Throws a GitRefusal for one that is too large, or packed in another way than gzip. */
function unpacked({ headers }: FastifyRequest, most: number): Transform[] {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (Number(headers['content-length'] ?? 0) > most)
    throw new GitRefusal(
      413,
      `A push may have at most ${most} bytes. Push in parts, and put large data into a data pool.`,
    );
  if (encoding === 'identity') return [];
  if (encoding === 'gzip' || encoding === 'x-gzip') return [createGunzip()];
  throw new GitRefusal(415, 'Send the body as it is, or with Content-Encoding: gzip.');
}

/** Ends with a GitRefusal after this many bytes, counted after they are unpacked. */
function limitOf(most: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) done(tooLarge(most));
      else done(null, chunk);
    },
  });
}

/** Waits for the first output. Throws when there is none because Git has failed. */
async function begun({ stdout, ended }: GitProcess): Promise<void> {
  // `readable` also comes at the end of the output; it never comes from a process that could not be started.
  if (stdout.readableLength === 0 && !stdout.closed)
    await Promise.race([once(stdout, 'readable'), once(stdout, 'close')]);
  if (stdout.readableLength > 0) return;
  const reason = await ended;
  if (reason.code === 0) return;
  stdout.destroy();
  throw failureOf(reason);
}

/** Messages of Git about a request that is not in its protocol. */
const DAMAGED =
  /protocol error|expected |unknown (?:capability|object)|no command requested|invalid (?:command|shallow|deepen)|hung up/i;

function failureOf({ code, message }: GitEnd): Error {
  if (code !== null && DAMAGED.test(message))
    return new GitRefusal(400, 'The request is damaged: Git could not read it.');
  return new Error(`Git ended with ${code ?? 'a signal'}: ${message}`);
}

function packet(text: string): string {
  return (text.length + 4).toString(16).padStart(4, '0') + text;
}
