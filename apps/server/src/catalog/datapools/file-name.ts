import { isFileName, limits } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';

/** Throws `invalid-request` for a name that no file in a folder can have. */
export function requireFileName(name: string): void {
  if (isFileName(name)) return;
  throw new Problem(
    'invalid-request',
    `A file is named by a plain name without slashes or control characters, of at most ${limits.fileNameBytes} bytes in UTF-8.`,
    { errors: [{ pointer: '/params/name', detail: 'is not a plain file name' }] },
  );
}
