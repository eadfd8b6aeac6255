import { fromTimestamp } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';

interface Given {
  readonly startDate?: string | null;
  readonly endDate?: string | null;
}

/**
 * The constraints of a request as columns, without those that it leaves out. Throws invalid-request for a day or time
 * that does not exist.
 */
export function constraintsOf(given: Given): { start_at?: number | null; end_at?: number | null } {
  return {
    ...(given.startDate !== undefined && { start_at: moment('/startDate', given.startDate) }),
    ...(given.endDate !== undefined && { end_at: moment('/endDate', given.endDate) }),
  };
}

function moment(pointer: string, text: string | null): number | null {
  if (text === null) return null;
  const epochMs = fromTimestamp(text);
  if (epochMs !== null) return epochMs;
  throw new Problem('invalid-request', `${pointer} must be a day and time that exist: yyyy-MM-dd HH:mm:ss, UTC.`, {
    errors: [{ pointer, detail: 'is no day and time that exist' }],
  });
}
