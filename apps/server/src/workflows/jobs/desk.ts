import type { Event } from '@kethub/workflow';
import { acceptExecutions, Fitting, type PreparedExecution, type Workflows } from '../../executions/index.ts';
import type { AccessDirectory, Subscriber } from '../../gateway/index.ts';
import { countExecution, hasQuota } from '../../limits/index.ts';
import type { TargetClient } from '../../on-premise/index.ts';
import type { Platform } from '../../platform.ts';
import { Gather, type Queries, type WorkflowJobRow } from '../../storage/index.ts';
import type { Inbox } from '../advance/index.ts';
import { depthsOf } from './depths.ts';
import { markCalled, type CalledJob } from './queries.ts';

/** A service that was called, or will be with this transaction, for a job. */
export interface MadeCall {
  readonly called: CalledJob;
  readonly subscriber: Pick<Subscriber, 'limits' | 'subscriptionId'>;
  /** Null when it runs elsewhere. */
  readonly prepared: PreparedExecution | null;
}

/** What everybody needs who works on a job. What many jobs write at the same time is written in one transaction. */
export interface Desk {
  readonly platform: Platform;
  readonly workflows: Workflows;
  readonly directory: AccessDirectory;
  readonly targets: TargetClient;
  readonly fitting: Fitting;
  /**
   * Ends a job and tells its instance what came of it; nothing when the job is in another state by now, or gone. With
   * `subscriber` its call is counted, which was not noted before.
   */
  end(job: WorkflowJobRow, event: Event, subscriber?: MadeCall['subscriber']): Promise<void>;
  /** Notes a call, with its execution if it is one of the platform; false when the job was cancelled meanwhile. */
  note(call: MadeCall): Promise<boolean>;
}

export function createDesk(
  platform: Platform,
  workflows: Workflows,
  directory: AccessDirectory,
  targets: TargetClient,
  inbox: Inbox,
): Desk {
  const { database } = platform;
  const noting = new Gather<MadeCall, boolean>((calls) =>
    database.write((transaction) => noteCalls(platform, workflows, transaction, calls)),
  );
  return {
    platform,
    workflows,
    directory,
    targets,
    fitting: new Fitting(platform),
    end: (job, event, subscriber) =>
      inbox.add({
        job,
        event,
        alongside: subscriber ? (transaction) => count(platform, transaction, subscriber) : null,
      }),
    note: (call) => noting.add(call),
  };
}

async function noteCalls(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  calls: readonly MadeCall[],
): Promise<boolean[]> {
  const marked = await markCalled(
    transaction,
    calls.map(({ called }) => called),
  );
  const noted = calls.filter(({ called }) => marked.has(called.id));
  for (const { subscriber } of noted) await count(platform, transaction, subscriber);
  const prepared = noted.flatMap((call) => call.prepared ?? []);
  const depths = await depthsOf(
    transaction,
    prepared.filter(({ isWorkflow }) => isWorkflow).map(({ row }) => row.id),
  );
  await acceptExecutions(
    workflows,
    transaction,
    prepared.map((one) => ({ ...one, depth: depths.get(one.row.id) ?? 0 })),
  );
  return calls.map(({ called }) => marked.has(called.id));
}

async function count(
  { now }: Platform,
  transaction: Queries,
  { limits, subscriptionId }: MadeCall['subscriber'],
): Promise<void> {
  if (hasQuota(limits)) await countExecution(transaction, subscriptionId, limits, now());
}
