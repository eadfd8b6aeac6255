import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UNCOUNTED_BYTES, type BodyMemory } from './body-memory.ts';
import { networkOf } from './network.ts';
import { Problem } from '@kethub/service-api';

interface BodyParser {
  readonly media: string | string[];
  /** The largest body in bytes. */
  readonly bytes: number | ((request: FastifyRequest) => number);
  /** Parses the body. May throw a Problem. */
  readonly parse: (bytes: Buffer, request: FastifyRequest) => unknown;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly bodyMemory: BodyMemory;
  }
}

/** Accepts bodies of these media types and reads each into memory. */
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

/**
 * Throws too-large as early as possible, too-many-requests if body memory is short, invalid-request for a truncated
 * body.
 */
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
          // Released when the answer has been sent: the parsed body is in memory until then.
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
