import { createIds } from '@kethub/server/foundation/http';
import { createRawToken, digestOf, type Database } from '@kethub/server/foundation/storage';

/** An application subscribed like the model, with copies of the model's execution. */
export interface Client {
  readonly executionIds: readonly string[];
  /** For the token endpoint: access key id, a colon, the secret. */
  readonly credentials: string;
}

interface Model {
  readonly applicationId: string;
  readonly subscriptionId: string;
  readonly executionId: string;
}

const AT_ONCE = 500;
const newId = createIds(Date.now);

/**
 * Adds applications to the database of a running platform. Their rows are copies of rows that the platform has written.
 */
export async function addApplications(
  database: Database,
  model: Model,
  { count, executionsOfEach }: { readonly count: number; readonly executionsOfEach: number },
): Promise<Client[]> {
  const { read } = database;
  const application = await read
    .selectFrom('applications')
    .selectAll()
    .where('id', '=', model.applicationId)
    .executeTakeFirstOrThrow();
  const key = await read
    .selectFrom('access_keys')
    .selectAll()
    .where('application_id', '=', model.applicationId)
    .executeTakeFirstOrThrow();
  const subscription = await read
    .selectFrom('subscriptions')
    .selectAll()
    .where('id', '=', model.subscriptionId)
    .executeTakeFirstOrThrow();
  const execution = await read
    .selectFrom('executions')
    .selectAll()
    .where('id', '=', model.executionId)
    .executeTakeFirstOrThrow();
  const clients: Client[] = [];
  while (clients.length < count) {
    const made = Array.from({ length: Math.min(AT_ONCE, count - clients.length) }, () => ({
      application_id: newId(),
      subscription_id: newId(),
      executionIds: Array.from({ length: executionsOfEach }, newId),
      access_key_id: createRawToken('ket_ak_'),
      secret: createRawToken('ket_sk_'),
    }));
    const insert = <T extends 'applications' | 'access_keys' | 'subscriptions' | 'executions'>(
      table: T,
      rows: Parameters<ReturnType<typeof read.insertInto<T>>['values']>[0],
    ) => database.write((transaction) => transaction.insertInto(table).values(rows).execute());
    await insert(
      'applications',
      made.map(({ application_id: id }) => ({ ...application, id })),
    );
    await insert(
      'access_keys',
      made.map(({ application_id, access_key_id, secret }) => ({
        ...key,
        id: newId(),
        application_id,
        access_key_id,
        secret_digest: digestOf(secret),
      })),
    );
    await insert(
      'subscriptions',
      made.map(({ application_id, subscription_id: id }) => ({ ...subscription, id, application_id })),
    );
    const executions = made.flatMap(({ application_id, subscription_id, executionIds }) =>
      executionIds.map((id) => ({ ...execution, id, application_id, subscription_id })),
    );
    for (let from = 0; from < executions.length; from += AT_ONCE)
      await insert('executions', executions.slice(from, from + AT_ONCE));
    clients.push(
      ...made.map(({ executionIds, access_key_id, secret }) => ({
        executionIds,
        credentials: `${access_key_id}:${secret}`,
      })),
    );
  }
  return clients;
}

/** Adds copies of an execution to its subscription. */
export async function addExecutions(database: Database, executionId: string, count: number): Promise<void> {
  const model = await database.read
    .selectFrom('executions')
    .selectAll()
    .where('id', '=', executionId)
    .executeTakeFirstOrThrow();
  for (let added = 0; added < count; added += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, count - added) }, () => ({ ...model, id: newId() }));
    await database.write((transaction) => transaction.insertInto('executions').values(rows).execute());
  }
}
