import { Refusal } from '../config/index.ts';
import { isStoreAway } from './blobs.ts';

/** Errors of sockets and names: nothing answers at the address. */
const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|TimeoutError)$/;

/** The reason in words why the first request to an S3 fails, or the same error if it is another one. */
export function refusedFiles(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // The store wraps what the S3 has said.
  if (isStoreAway(error)) {
    const refused = refusedFiles(error.cause);
    return refused instanceof Refusal ? refused : error;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  if (UNREACHABLE.test(code))
    return new Refusal(`The S3 does not answer (${code}). Start it, or correct KETHUB_S3_ENDPOINT.`);
  if (error.name === 'NoSuchBucket') return new Refusal('The S3 has no such bucket. Make it, or correct KETHUB_BLOBS.');
  if (error.name === 'RequestTimeTooSkewed')
    return new Refusal('The S3 has another time than this machine. Set the clock of this machine, or that of the S3.');
  const { httpStatusCode } = (Reflect.get(error, '$metadata') ?? {}) as { httpStatusCode?: number };
  if (httpStatusCode !== 401 && httpStatusCode !== 403) return error;
  return new Refusal(
    `The S3 refuses the credentials (${error.name}). Correct KETHUB_S3_ACCESS_KEY_ID and KETHUB_S3_SECRET_ACCESS_KEY, and let their owner read and write the bucket of KETHUB_BLOBS.`,
  );
}
