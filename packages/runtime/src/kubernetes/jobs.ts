import { ClusterAway, ClusterRefusal, type ClusterApi } from './api.ts';
import type { Installation } from '../containers/installation.ts';
import { listAll } from './list-all.ts';
import { ATTEMPT, jobOf, LABELS, policyOf, secretOf, type Order } from './objects.ts';
import type { Owner, Pod } from './pod.ts';
import type { ClusterProgram } from './programs.ts';

/** The parts of a job that are read here. */
export interface Job {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly suspend?: boolean };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** True when the cluster makes no pod for the job any more. */
export function isJobOver({ status }: Job): boolean {
  const { conditions = [] } = status ?? {};
  return conditions.some((one) => ['Failed', 'Complete'].includes(one.type) && one.status === 'True');
}

/**
 * Makes a job with its secret and its network policy, and then lets it begin. It can be repeated: an attempt whose answer
 * was lost is continued.
 */
export async function createJob(api: ClusterApi, order: Order, program: ClusterProgram, token: string): Promise<void> {
  const [job, isNew] = await madeJob(api, order, program.pod(order));
  const add = async (kind: string, body: object): Promise<void> => {
    if ((await unlessThere(api.ask('POST', kind, { body }))) !== null || !isNew) return;
    // It is of an earlier attempt, whose job somebody has removed. The cluster would remove it later.
    await api.remove(`${kind}/${order.job}`);
    await api.ask('POST', kind, { body });
  };
  await Promise.all([
    add('secrets', secretOf(order, job, token, program.handover)),
    add('networkpolicies', policyOf(order, job)),
  ]);
  await api.ask('PATCH', `jobs/${order.job}`, { body: { spec: { suspend: false } } });
}

/** The job, and whether this call has made it. */
async function madeJob(api: ClusterApi, order: Order, pod: object): Promise<[Job, boolean]> {
  const made = await unlessThere(api.ask<Job>('POST', 'jobs', { body: jobOf(order, pod) }));
  const job = made ?? (await api.find<Job>(`jobs/${order.job}`));
  if (
    job !== null &&
    job.metadata.deletionTimestamp === undefined &&
    job.metadata.annotations?.[ATTEMPT] === order.attempt
  )
    return [job, made !== null];
  // An earlier attempt, which was refused, is not yet removed.
  if (job !== null) await api.remove(`jobs/${order.job}`);
  await api.remove(`secrets/${order.job}`);
  await api.remove(`networkpolicies/${order.job}`);
  throw new ClusterAway('An earlier attempt of this execution is still being removed from the cluster.');
}

/** Returns null when the object exists already. */
async function unlessThere<T>(creation: Promise<T>): Promise<T | null> {
  try {
    return await creation;
  } catch (error) {
    if (error instanceof ClusterRefusal && error.reason === 'AlreadyExists') return null;
    throw error;
  }
}

/**
 * Removes the job of an attempt with its secret. Its pods and its network policy go with it, and so does the secret of a
 * job that is gone. A later attempt of the execution has a job of the same name, which stays.
 */
export async function removeJob(api: ClusterApi, name: string, attempt: string): Promise<void> {
  const job = await api.find<Job>(`jobs/${name}`);
  // Jobs of older versions name no attempt.
  if (job === null || (job.metadata.annotations?.[ATTEMPT] ?? attempt) !== attempt) return;
  await api.remove(`secrets/${name}`);
  await api.remove(`jobs/${name}`, { preconditions: { uid: job.metadata.uid } });
}

/**
 * Removes the jobs of this place that are not in use. Those of another place may be in use there: they stay, and a command
 * that removes them is returned for each.
 */
export async function removeRests(
  api: ClusterApi,
  { id, place }: Pick<Installation, 'id' | 'place'>,
  inUse: () => ReadonlySet<string>,
): Promise<string[]> {
  const selector = `${LABELS.installation}=${id}`;
  // The job of a pod was there before it, so pods come first.
  const pods = await listAll<Pod>(api, 'pods', selector);
  const { items } = await listAll<Job>(api, 'jobs', selector);
  // A record is written before its job is created, so every job in use is known here.
  const used = inUse();
  const others: string[] = [];
  for (const { metadata } of items) {
    if (used.has(metadata.name)) continue;
    // Jobs of earlier versions name no place.
    const of = metadata.labels?.[LABELS.place] ?? place;
    if (of === place) await removeJob(api, metadata.name, metadata.annotations?.[ATTEMPT] ?? '');
    else others.push(`kubectl -n ${api.settings.namespace} delete jobs -l ${LABELS.place}=${of}`);
  }
  const jobs = new Set(items.map(({ metadata }) => metadata.uid));
  for (const { metadata } of pods.items) {
    const { labels = {}, ownerReferences: [owner] = [] } = metadata;
    const isOurs = (labels[LABELS.place] ?? place) === place && !used.has(labels[LABELS.job] ?? '');
    if (isOurs && metadata.deletionTimestamp === undefined && owner !== undefined && !jobs.has(owner.uid))
      await removeStray(api, metadata, owner);
  }
  return others;
}

/** Removes a pod whose job is gone. A cluster whose API server was lost in the middle may have forgotten it. */
async function removeStray(api: ClusterApi, { name, uid }: Pod['metadata'], owner: Owner): Promise<void> {
  const job = await api.find<Job>(`jobs/${owner.name}`);
  if (job?.metadata.uid !== owner.uid)
    await api.remove(`pods/${name}`, { gracePeriodSeconds: 1, preconditions: { uid } });
}
