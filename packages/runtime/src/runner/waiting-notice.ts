/** Beginning of the notices about a program that a cluster has not started. None comes after the program's first line. */
export const NOT_STARTED = 'The cluster has not started the program yet.';

/** The notice in the log of an execution that waits, with the reason in words. */
export function waitingNotice(why: string): string {
  return `${NOT_STARTED} It goes on when the cause is gone. ${why}`;
}
