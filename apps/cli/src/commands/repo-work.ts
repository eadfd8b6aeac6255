import type { Implementation } from '@kethub/contract';
import { selectImplementation } from '../platform/implementations.ts';
import { openSession, type Session } from '../platform/session.ts';
import { outputOf, type CommonOptions, type Shell } from '../shell.ts';
import type { Output } from '../terminal/output.ts';

/** The session, the output and the implementation of a command on one of them. */
export interface Work {
  readonly output: Output;
  readonly session: Session;
  readonly implementation: Implementation;
}

/** Runs a command on the implementation that is named, with its further arguments and its options. */
export const onImplementation =
  (shell: Shell) =>
  <A extends unknown[]>(work: (work: Work, ...given: A) => Promise<void>) =>
  async (wanted: string, ...rest: unknown[]): Promise<void> => {
    // Arguments, then options; commander appends the command itself.
    const given = rest.slice(0, -1);
    const session = await openSession(shell);
    const output = outputOf(shell, given.at(-1) as CommonOptions);
    await work({ output, session, implementation: await selectImplementation(session, wanted) }, ...(given as A));
  };
