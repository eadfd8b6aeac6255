import { isFileName, limits } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';

/** Throws `invalid-request` for what cannot be the name of a file in a folder. */
export function requireFileName(name: string): void {
  if (isFileName(name)) return;
  throw new Problem(
    'invalid-request',
    `A file is named by a plain name without slashes or control characters, of at most ${limits.fileNameBytes} bytes in UTF-8.`,
    { errors: [{ pointer: '/params/name', detail: 'is not a plain file name' }] },
  );
}
