import { KethubError, type ExecutionsEndpoint } from '@kethub/client';
import { CliFailure, usageFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { remembered } from './history.ts';
import type { Session } from './session.ts';

export interface FoundExecution {
  readonly id: string;
  readonly executions: ExecutionsEndpoint;
}

/**
 * Finds an execution by its id: at the address where `ket` started it from here, else among the user's own executions.
 * `last` is the newest one started from here.
 */
export async function findExecution(shell: Shell, session: Session, wanted: string): Promise<FoundExecution> {
  const known = await remembered(shell.environment, session.url);
  const match = wanted === 'last' ? known[0] : known.find(({ id }) => id === wanted);
  if (match) return { id: match.id, executions: await session.executionsAt(match.endpoint) };
  if (wanted === 'last')
    throw new CliFailure('notFound', 'execution-not-found', 'No execution was started from here yet.', [
      'ket run',
      'ket list',
    ]);
  const id = wanted.toLowerCase();
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
    throw usageFailure(
      `"${wanted}" is no execution id. It looks like 019a7c3e-5b0d-7c4e-9a51-0f6d2b8f4c11, or say last.`,
      'ket list',
    );
  if (await isThere(session.jobs, id)) return { id, executions: session.jobs };
  throw new CliFailure('notFound', 'execution-not-found', `You have no execution ${id}.`, ['ket list']);
}

async function isThere(executions: ExecutionsEndpoint, id: string): Promise<boolean> {
  try {
    await executions.getExecution({ id });
    return true;
  } catch (error) {
    if (error instanceof KethubError && error.status === 404) return false;
    throw error;
  }
}
