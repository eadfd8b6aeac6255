import { parseExact } from '@kethub/workflow';
import { parseJson } from '../../foundation/http/index.ts';

/** The value of a JSON text, with every digit of its numbers. A long text is parsed in slices of the thread. */
export async function readExact(text: string | Buffer): Promise<unknown> {
  return parseJson(text, parseExact);
}
