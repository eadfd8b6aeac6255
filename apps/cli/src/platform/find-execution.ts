import { KethubError, type GatewayClient } from '@kethub/client';
import { CliFailure, usageFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { remembered } from './history.ts';
import type { Session } from './session.ts';

export interface FoundExecution {
  readonly id: string;
  readonly gateway: GatewayClient;
}

/** The service of an execution: remembered from its start, else found by asking every subscribed service. `last` is the newest started from here. */
export async function findExecution(shell: Shell, session: Session, wanted: string): Promise<FoundExecution> {
  const known = await remembered(shell.environment, session.url);
  const match = wanted === 'last' ? known[0] : known.find(({ id }) => id === wanted);
  if (match) return { id: match.id, gateway: await session.gateway(match.endpoint) };
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
  const subscriptions = await session.subscriptions();
  const asked = await Promise.all(
    subscriptions.map(async ({ endpoint }) => {
      const gateway = await session.gateway(endpoint);
      return (await isThere(gateway, id)) ? [{ id, gateway }] : [];
    }),
  );
  const found = asked.flat()[0];
  if (!found)
    throw new CliFailure(
      'notFound',
      'execution-not-found',
      `None of your subscribed services knows the execution ${id}.`,
      ['ket list'],
    );
  return found;
}

async function isThere(gateway: GatewayClient, id: string): Promise<boolean> {
  try {
    await gateway.status(id);
    return true;
  } catch (error) {
    // Of this service; or the service has gone since, and the execution may be another one's.
    if (error instanceof KethubError && (error.status === 404 || error.status === 403)) return false;
    throw error;
  }
}
