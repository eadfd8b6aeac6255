import { limitCause } from '../runner/outcome.ts';
import type { Cause } from '../types.ts';
import { shortened, type ClusterApi } from './api.ts';

/** The object that a pod belongs to: its job. */
export interface Owner {
  readonly name: string;
  readonly uid: string;
}

/** The parts of a pod that are read here. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly Owner[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: Terminated;
  };
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

/** Names of the containers of a pod: the one that brings input and output, and the program. */
export const CONTAINERS = { transfer: 'transfer', program: 'program' } as const;

/** Reasons why a container waits that only the owner or the operator can change. */
const STUCK = /^(ErrImage|ImagePull|InvalidImage|ImageInspect|Create|Run)\w*(Error|BackOff|Name|Failed)?$/;

function statusOf(pod: Pod, container: string): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container);
}

/** Reasons of an end by which a node says that it could not start the program. */
const NEVER_RAN = ['StartError', 'ContainerCannotRun', 'CreateContainerError'];

/** The end of the program; null while there is none, and for one that never ran. */
export function programEnd(pod: Pod): Terminated | null {
  const ended = statusOf(pod, CONTAINERS.program)?.state?.terminated;
  return ended === undefined || NEVER_RAN.includes(ended.reason ?? '') ? null : ended;
}

/** True when the container of the program runs or has run. It may still wait for its input. */
export function hasStarted(pod: Pod): boolean {
  const state = statusOf(pod, CONTAINERS.program)?.state;
  return state?.running !== undefined || programEnd(pod) !== null;
}

/** Codes with which the shell around a program ends without a word: it was killed, or has run nothing. */
const SILENT_CODES = [125, 137];

/** True if nothing says the end of the log, because the node ended the whole container. */
export function endedSilently(pod: Pod): boolean {
  const end = programEnd(pod);
  return end === null || end.reason === 'OOMKilled' || SILENT_CODES.includes(end.exitCode);
}

/** True when nothing of the pod will run any more. */
export function isOver(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** True for a reason that more room in the cluster would mend. */
export function isFull(why: string): boolean {
  return /exceeded quota|No node of the cluster can take it: .*(Insufficient|Too many pods)/.test(why);
}

/** The reason why a pod has not begun, in words; null when it is on its way. */
export function waitOf(pod: Pod): string | null {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return `No node of the cluster can take it: ${shortened(scheduled.message ?? scheduled.reason ?? '')}`;
  for (const { name, state } of [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ]) {
    const { reason = '', message = '' } = state?.waiting ?? {};
    if (STUCK.test(reason)) return `The container ${name} cannot start (${reason}): ${shortened(message)}`;
  }
  return null;
}

/** The latest warning of the cluster about an object, such as an exhausted quota; null when there is none. */
export async function latestWarning(api: ClusterApi, name: string): Promise<string | null> {
  const query = { fieldSelector: `involvedObject.name=${name},type=Warning`, limit: 50 };
  const { items } = await api.ask<{ items: { message?: string; lastTimestamp?: string | null; eventTime?: string | null }[] }>('GET', 'events', { query });
  const at = ({ lastTimestamp, eventTime }: (typeof items)[number]): string => lastTimestamp ?? eventTime ?? '';
  const latest = items.toSorted((one, other) => at(one).localeCompare(at(other))).at(-1);
  return latest?.message === undefined ? null : shortened(latest.message);
} // prettier-ignore

/** The cause when the cluster, and not the program, has ended a pod; null otherwise. */
export function causeOfCluster(
  pod: Pod,
  limits: { readonly outputBytes: number; readonly tmpBytes: number },
): Cause | null {
  const { reason, message = '', conditions = [] } = pod.status ?? {};
  const words = shortened(message);
  if (reason === 'DeadlineExceeded')
    return limitCause('Run time', 'The cluster ended the program because its time was over.');
  if (reason === 'Evicted' && /EmptyDir volume "(output|pools)"/.test(words))
    return limitCause(
      'Output',
      `The program wrote far more to /var/runtime/output, or to its data pools, than the ${limits.outputBytes} bytes that an execution may leave.`,
    );
  if (reason === 'Evicted' && /ephemeral (local )?storage/.test(words) && words.includes(CONTAINERS.program))
    return limitCause(
      'Output',
      `The program wrote far more to folders of its image than the ${limits.outputBytes} bytes that an execution may leave.`,
    );
  if (reason === 'Evicted' && words.includes('EmptyDir volume "storage"'))
    return limitCause('Disk', 'The build filled more of the disk of its node than it may.');
  if (reason === 'Evicted' && words.includes('EmptyDir volume "tmp"'))
    return limitCause('Memory', `The program wrote more to /tmp than the ${limits.tmpBytes} bytes that fit there.`);
  const disrupted = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  if (disrupted?.reason === 'PreemptionByScheduler')
    return causeOf(
      'Preempted',
      `The cluster ended the program in favour of one with a higher priority. Start the execution again.`,
    );
  if (
    reason === 'Evicted' ||
    disrupted?.reason === 'TerminationByKubelet' ||
    disrupted?.reason === 'EvictionByEvictionAPI'
  )
    return causeOf(
      'Evicted',
      `The cluster removed the program from its node: ${words || shortened(disrupted?.message ?? 'it gave no reason')}. Start the execution again.`,
    );
  if (disrupted?.reason === 'DeletionByTaintManager')
    return causeOf(
      'Node closed',
      'The cluster removed the program because its node was closed, or did not answer. Start the execution again.',
    );
  if (pod.metadata.deletionTimestamp !== undefined && disrupted === undefined)
    return causeOf(
      'Pod deleted',
      'Somebody deleted the pod of the program in the cluster. Start the execution again, or ask the operator.',
    );
  return null;
}

function causeOf(title: string, detail: string): Cause {
  return { type: title.replace(/ (\w)/g, (_match, letter: string) => letter.toUpperCase()), title, detail };
}
