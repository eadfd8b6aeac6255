import { Problem } from '../../foundation/http/index.ts';
import { Refused } from './connections.ts';

/** The problem that a caller gets when a call fails. `connected`: the target may have received part of the request. */
export function problemOf(requestId: string, cause: Error, connected: boolean): Problem {
  if (cause instanceof Refused) return refused(requestId, cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  if (code === 'ETIMEDOUT' || code === 'ETIMEOUT') {
    return new Problem('upstream-timeout', `The provider's service could not be reached in time. ${at(requestId)}`, {
      cause,
    });
  }
  return connected
    ? new Problem(
        'upstream-failed',
        `The provider's service broke the connection or did not answer with HTTP. Whether it has worked on the request is not known. ${at(requestId)}`,
        { cause },
      )
    : new Problem('upstream-unreachable', `The provider's service cannot be reached. ${at(requestId)}`, { cause });
}

/** The problem of a target that the settings do not allow. */
export function refused(requestId: string, cause: Refused): Problem {
  const detail = `The provider's service runs where this installation does not connect to. ${at(requestId)}`;
  return new Problem('upstream-unreachable', detail, { cause });
}

export function timedOut(requestId: string, ms: number): Problem {
  return new Problem(
    'upstream-timeout',
    `The provider's service did not answer within its time limit of ${ms / 1000} seconds. ${at(requestId)}`,
  );
}

function at(requestId: string): string {
  return `Its operator finds the call under ${requestId}.`;
}

export function tooLarge(bytes: number): Problem {
  return new Problem('too-large', `A body may have at most ${bytes} bytes on its way to an on-premise service.`);
}
