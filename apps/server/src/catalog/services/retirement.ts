import type { ServiceVersion } from '@kethub/contract';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Revised } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { presentVersion } from './present.ts';
import type { VersionRow } from './queries.ts';
import { requireVersion, type VersionRef } from './versions.ts';

/**
 * Announces the sunset of a published version, or changes it. From then on the version starts no executions. Running
 * ones go on, and subscribers can read those that they have started.
 */
export function retire(
  platform: Platform,
  at: VersionRef,
  sunset: string | undefined,
  ifMatch: string | undefined,
): Promise<Revised<ServiceVersion>> {
  return change(platform, at, ifMatch, (row) => {
    const now = platform.now();
    const sunset_at = sunset === undefined ? now : Date.parse(sunset);
    if (!Number.isFinite(sunset_at) || sunset_at > Date.UTC(9999, 11, 31) || sunset_at < 0)
      throw new Problem('invalid-request', `${sunset} is no time that a version could be retired at.`, {
        errors: [{ pointer: '/sunset', detail: 'must be a time before the year 9999' }],
      });
    // A past sunset counts as now, so that no earlier answer becomes wrong.
    return { deprecated_at: row.deprecated_at ?? now, sunset_at: Math.max(sunset_at, now) };
  });
}

/** Withdraws the announcement, as long as the version can be started. */
export function withdrawRetirement(
  platform: Platform,
  at: VersionRef,
  ifMatch: string | undefined,
): Promise<Revised<ServiceVersion>> {
  return change(platform, at, ifMatch, () => ({ deprecated_at: null, sunset_at: null }));
}

async function change(
  platform: Platform,
  at: VersionRef,
  ifMatch: string | undefined,
  to: (row: VersionRow) => Pick<VersionRow, 'deprecated_at' | 'sunset_at'>,
): Promise<Revised<ServiceVersion>> {
  const { owner, serviceId, version } = at;
  const answer = await platform.database.write(async (transaction) => {
    const { row, service } = await requireVersion(transaction, at);
    if (row.state !== 'PUBLISHED')
      throw new Problem('conflict', `Version ${version} is a ${row.state}. Only a published version can be retired.`);
    if (row.sunset_at !== null && row.sunset_at <= platform.now())
      throw new Problem('conflict', `Version ${version} is retired already. Publish a newer one.`);
    requireMatch(ifMatch, etag(row.revision));
    const values = { ...to(row), revision: row.revision + 1 };
    await transaction.updateTable('service_versions').set(values).where('id', '=', row.id).execute();
    const sunset = values.sunset_at === null ? null : new Date(values.sunset_at).toISOString();
    await audit(platform, transaction, owner, 'service:retire', serviceId, { version, sunset });
    return { body: presentVersion({ ...row, ...values }, service, platform), revision: values.revision };
  });
  accessChanged(platform.database);
  return answer;
}
