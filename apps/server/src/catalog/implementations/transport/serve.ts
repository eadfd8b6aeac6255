import { PassThrough, Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { limits } from '@kethub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GitProcess } from '../git/git.ts';
import type { GitService } from './admission.ts';
import { PushCommands } from './commands.ts';
import { GitRefusal } from './refusal.ts';

/** Bytes of the body of a fetch, unpacked: the names of what the client wants and has. */
const FETCH_BYTES = 16 * 1024 * 1024;
/** Bytes of a push beside its pack. */
const LIST_BYTES = 2 * 1024 * 1024;

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

/**
 * Streams the body of a request to Git, and the output of Git to the client. Throws GitRefusal while nothing was
 * answered yet. A client that vanishes ends a fetch at once, and a push unless all of it has arrived.
 */
export async function exchange(
  child: GitProcess,
  service: GitService,
  request: FastifyRequest,
  reply: FastifyReply,
  pushBytes: number,
): Promise<FastifyReply> {
  const isPush = service === 'git-receive-pack';
  let arrived = false;
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    if (isPush && arrived) child.stdout.resume();
    else child.kill();
  });
  const most = isPush ? pushBytes + LIST_BYTES : FETCH_BYTES;
  const body = bodyOf(request, most);
  const steps = [...body, limitOf(most), ...(isPush ? [new PushCommands(limits.refChangesOfPush)] : [])];
  const received = pipeline([request.raw, ...steps, child.stdin]).then(
    () => {
      arrived = true;
    },
    (error: unknown) => {
      // Git closes its input when it refuses a push, and says why in its output.
      if (isClosedPipe(error)) return request.raw.resume();
      child.kill();
      throw error instanceof GitRefusal ? error : new GitRefusal(400, 'The request was cut off or is damaged.');
    },
  );
  // An error after the first output can only end the connection.
  received.catch(() => undefined);
  await Promise.race([begun(child), received.then(() => begun(child))]);
  return reply.headers({ ...UNCACHED, 'content-type': `application/x-${service}-result` }).send(child.stdout);
}

function bodyOf({ headers }: FastifyRequest, most: number): Transform[] {
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
      if (bytes > most) done(new GitRefusal(413, `A request may have at most ${most} bytes.`));
      else done(null, chunk);
    },
  });
}

/** Waits for the first output. Throws a GitRefusal when there is none because Git has failed. */
async function begun({ stdout, ended }: GitProcess): Promise<void> {
  if (stdout.readableLength > 0) return;
  const output = new Promise<void>((resolve) => stdout.once('readable', resolve));
  const end = ended.then(({ code, message }) => {
    if (code === 0) return;
    throw new Error(`Git ended with ${code ?? 'a signal'}: ${message}`);
  });
  await Promise.race([output.then(() => hasOutput(stdout, end)), end]);
}

/** `readable` also comes at the end of the output. */
async function hasOutput(stdout: Readable, end: Promise<void>): Promise<void> {
  if (stdout.readableLength === 0) await end;
}

function packet(text: string): string {
  return (text.length + 4).toString(16).padStart(4, '0') + text;
}

function isClosedPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED';
}
