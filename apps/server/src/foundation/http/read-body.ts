import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UNCOUNTED_BYTES, type BodyMemory } from './body-memory.ts';
import { networkOf } from './network.ts';
import { Problem } from './problem.ts';

export interface BodyParser {
  readonly media: string | string[];
  /** The largest body in bytes. */
  readonly bytes: number | ((request: FastifyRequest) => number);
  /** What the body becomes; may throw a Problem. */
  readonly parse: (bytes: Buffer, request: FastifyRequest) => unknown;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly bodyMemory: BodyMemory;
  }
}

/** Takes bodies of these media types, whole and in memory. */
export function acceptBodies(app: FastifyInstance, { media, bytes, parse }: BodyParser): void {
  const { bodyMemory } = app;
  app.addContentTypeParser(media, async (request: FastifyRequest, payload: IncomingMessage) =>
    parse(await readBody(request, payload, typeof bytes === 'number' ? bytes : bytes(request), bodyMemory), request),
  );
}

/** The problem of a body that is larger than `most` bytes. */
export function tooLarge(most: number, announced: number | null = null): Problem {
  const size = announced === null ? 'is larger' : `has ${announced} bytes`;
  return new Problem('too-large', `The body ${size}; at most ${most} bytes are accepted here.`);
}

/** Throws too-large as soon as that is known, too-many-requests when memory is short, and invalid-request when it breaks off. */
function readBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  most: number,
  memory: BodyMemory,
): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > most) return Promise.reject(tooLarge(most, announced));
  const caller = request.headers.authorization ?? networkOf(request.ip);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let counted = 0;
    const stop = (): void => {
      payload.off('data', take).off('end', end).off('error', broken).off('close', broken);
    };
    const refuse = (problem: Problem): void => {
      stop();
      chunks.length = 0;
      reject(problem);
    };
    const broken = (cause?: Error): void =>
      refuse(new Problem('invalid-request', 'The body broke off before its end.', { cause }));
    const end = (): void => {
      stop();
      const [only] = chunks;
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, length));
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > most) return refuse(tooLarge(most));
      if (length > UNCOUNTED_BYTES) {
        try {
          memory.take(caller, length - counted);
          // Until the answer has been sent: what was made of the body is kept for so long.
          if (counted === 0) request.raw.once('close', () => memory.release(caller, counted));
          counted = length;
        } catch (error) {
          return refuse(error as Problem);
        }
      }
      chunks.push(chunk);
    };
    payload.on('data', take).on('end', end).on('error', broken).on('close', broken);
  });
}
