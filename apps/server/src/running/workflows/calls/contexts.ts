import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../foundation/platform.ts';
import { Batcher, isAmong, type Queries } from '../../../foundation/storage/index.ts';
import type { InstanceCache } from '../advance/index.ts';

/** The facts about its instance that a job needs. */
export interface JobContext extends Caller {
  readonly sealedSecrets: string | null;
  /** The execution of the workflow. */
  readonly executionId: string;
}

/** The caller as which the tasks of a version call services. */
interface Caller {
  /** The application of the version. */
  readonly applicationId: string | null;
  /** The owner of the service. Null when the version has been deleted. */
  readonly owner: { readonly type: string; readonly id: string } | null;
}

/** Number of versions whose caller is cached. Beyond it, the one used longest ago is evicted. */
const CACHED = 1_000;
/** Milliseconds for which a caller is cached: a transferred service stops calling for its old owner within a second. */
const TTL_MS = 900;

/** Reads the contexts of jobs. A cached instance needs no query. */
export class JobContexts {
  readonly #cache: Pick<InstanceCache, 'get'>;
  readonly #read: Batcher<string, JobContext | undefined>;
  readonly #callers: Batcher<string, Caller>;
  readonly #cached = new LRUCache<string, Caller>({ max: CACHED, ttl: TTL_MS });

  constructor({ database: { read } }: Platform, cache: Pick<InstanceCache, 'get'>) {
    this.#cache = cache;
    this.#read = new Batcher((instanceIds) => contextsOf(read, instanceIds));
    this.#callers = new Batcher((versionIds) => callersOf(read, versionIds));
  }

  /** Undefined when the instance is gone. */
  async of(instanceId: string): Promise<JobContext | undefined> {
    const instance = this.#cache.get(instanceId);
    // The secrets of a child are at its root.
    if (instance?.execution_id !== instanceId) return this.#read.add(instanceId);
    return {
      ...(await this.#callerOf(instance.service_version_id)),
      sealedSecrets: instance.sealed_secrets,
      executionId: instanceId,
    };
  }

  async #callerOf(versionId: string): Promise<Caller> {
    const cached = this.#cached.get(versionId);
    if (cached) return cached;
    const start = performance.now();
    const caller = await this.#callers.add(versionId);
    this.#cached.set(versionId, caller, { start });
    return caller;
  }
}

async function contextsOf(read: Queries, instanceIds: readonly string[]): Promise<(JobContext | undefined)[]> {
  const rows = await read
    .selectFrom('workflow_instances as instance')
    .innerJoin('workflow_instances as root', 'root.id', 'instance.execution_id')
    .select(['instance.id', 'instance.execution_id', 'instance.service_version_id', 'root.sealed_secrets'])
    .where(isAmong(read, 'instance.id', [...new Set(instanceIds)]))
    .execute();
  const versionIds = [...new Set(rows.map(({ service_version_id }) => service_version_id))];
  const callers = await callersOf(read, versionIds);
  const byVersion = new Map(versionIds.map((id, at) => [id, callers[at] ?? nobody]));
  const byInstance = new Map(rows.map((row) => [row.id, row]));
  return instanceIds.map((id) => {
    const row = byInstance.get(id);
    if (!row) return undefined;
    const { sealed_secrets: sealedSecrets, execution_id: executionId } = row;
    return { ...(byVersion.get(row.service_version_id) ?? nobody), sealedSecrets, executionId };
  });
}

const nobody: Caller = { applicationId: null, owner: null };

async function callersOf(read: Queries, versionIds: readonly string[]): Promise<Caller[]> {
  if (versionIds.length === 0) return [];
  const rows = await read
    .selectFrom('service_versions as version')
    .innerJoin('services', 'services.id', 'version.service_id')
    .leftJoin('workflow_versions as workflow', 'workflow.service_version_id', 'version.id')
    .select(['version.id', 'workflow.application_id', 'services.owner_type', 'services.owner_id'])
    .where(isAmong(read, 'version.id', [...new Set(versionIds)]))
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return versionIds.map((id) => {
    const row = byId.get(id);
    if (!row) return nobody;
    const { application_id: applicationId, owner_type: type, owner_id } = row;
    return { applicationId, owner: type === null || owner_id === null ? null : { type, id: owner_id } };
  });
}
