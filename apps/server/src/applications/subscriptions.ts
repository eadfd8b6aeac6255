import type { FastifyRequest } from 'fastify';
import { audit } from '../audit/index.ts';
import { once, Problem, type Answer } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import { requireApplication } from './access-keys.ts';
import { accessChanged, offersTo } from '../access/index.ts';
import { listSubscriptions } from './queries.ts';
import { presentSubscription } from './present.ts';

/** Subscribes an application to a version of a service. Subscribing again answers with the subscription that is there. */
export async function subscribe(
  platform: Platform,
  owner: Context,
  applicationId: string,
  wanted: { serviceId: string; version?: string },
  request: FastifyRequest,
): Promise<Answer> {
  const now = platform.now();
  const body = JSON.stringify(wanted);
  const answer = await once(platform, request, `subscriptions of ${applicationId}`, body, async (transaction) => {
    await requireApplication(transaction, owner, applicationId);
    const version = choose(await offersTo(transaction, owner, [wanted.serviceId]), wanted);
    const existing = (await listSubscriptions(transaction, applicationId)).find(
      (one) => one.service_id === version.serviceId && one.version === version.version,
    );
    const { serviceId, name, slug, ownerId } = version;
    const offered = { service_id: serviceId, name, slug, owner_id: ownerId, version: version.version };
    const row = existing ?? { ...offered, id: platform.newId(), created_at: now };
    if (!existing) {
      const { id, created_at } = row;
      await transaction
        .insertInto('subscriptions')
        .values({
          id,
          application_id: applicationId,
          service_id: wanted.serviceId,
          service_version_id: version.versionId,
          basis: version.basis,
          created_at,
        })
        .execute();
      const detail = { applicationId, serviceId: wanted.serviceId, version: version.version };
      await audit(platform, transaction, owner, 'subscription:create', id, detail);
    }
    const location = `${platform.addresses.api}/applications/${applicationId}/subscriptions/${row.id}`;
    return {
      status: existing ? 200 : 201,
      body: presentSubscription(row, platform.addresses),
      headers: { location },
    };
  });
  accessChanged(platform.database, applicationId);
  return answer;
}

function choose<V extends { version: string }>(
  versions: readonly V[],
  wanted: { serviceId: string; version?: string },
): V {
  const version = wanted.version ? versions.find((one) => one.version === wanted.version) : versions[0];
  if (version) return version;
  if (versions.length > 0) {
    const offered = versions.map((one) => one.version).join(', ');
    throw new Problem('conflict', `Version ${wanted.version} of the service is not published. Published: ${offered}.`);
  }
  throw new Problem(
    'not-found',
    `No service ${wanted.serviceId} is published for you. It must be published internally before an application can subscribe.`,
  );
}

export async function readSubscriptions(platform: Platform, owner: Context, applicationId: string): Promise<Answer> {
  await requireApplication(platform.database.read, owner, applicationId);
  const rows = await listSubscriptions(platform.database.read, applicationId);
  return { status: 200, body: rows.map((row) => presentSubscription(row, platform.addresses)) };
}

export async function readSubscription(
  platform: Platform,
  owner: Context,
  applicationId: string,
  id: string,
): Promise<Answer> {
  await requireApplication(platform.database.read, owner, applicationId);
  const row = (await listSubscriptions(platform.database.read, applicationId)).find((one) => one.id === id);
  if (!row) throw new Problem('not-found', `The application has no subscription ${id}.`);
  return { status: 200, body: presentSubscription(row, platform.addresses) };
}

/** Ends a subscription. Executions that run go on; calls through it end within a second on every gateway. */
export async function unsubscribe(
  platform: Platform,
  owner: Context,
  applicationId: string,
  id: string,
): Promise<Answer> {
  await platform.database.write(async (transaction) => {
    await requireApplication(transaction, owner, applicationId);
    const { numDeletedRows } = await transaction
      .deleteFrom('subscriptions')
      .where('id', '=', id)
      .where('application_id', '=', applicationId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Problem('not-found', `The application has no subscription ${id}.`);
    await audit(platform, transaction, owner, 'subscription:delete', id, { applicationId });
  });
  accessChanged(platform.database, applicationId);
  return { status: 204 };
}
