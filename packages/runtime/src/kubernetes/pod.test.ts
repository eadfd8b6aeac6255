import { expect, test } from 'vitest';
import { LIMITS } from '../testing/bench.ts';
import { causeOfCluster, isFull, programEnd, waitOf, type Pod } from './pod.ts';

const podOf = (status: NonNullable<Pod['status']>, metadata: object = {}): Pod => ({
  metadata: { name: 'p', uid: 'u', ...metadata },
  status,
});
const disruptedBy = (reason: string): Pod =>
  podOf({ phase: 'Failed', conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message: 'why' }] });
const evicted = (message: string): Pod => podOf({ phase: 'Failed', reason: 'Evicted', message });

test.each<[string, Pod, string | null]>([
  ['time', podOf({ reason: 'DeadlineExceeded' }), 'Run time limit exceeded'],
  ['output', evicted('Usage of EmptyDir volume "output" exceeds the limit "1Mi".'), 'Output limit exceeded'],
  ['data pools', evicted('Usage of EmptyDir volume "pools" exceeds the limit "1Mi".'), 'Output limit exceeded'],
  ['folders of the image', evicted('Container program exceeded its local ephemeral storage limit "1Mi".'), 'Output limit exceeded'],
  ['/tmp', evicted('Usage of EmptyDir volume "tmp" exceeds the limit "1Mi".'), 'Memory limit exceeded'],
  ['a full node', evicted('The node was low on resource: memory.'), 'Evicted'],
  ['a kubelet that stops', disruptedBy('TerminationByKubelet'), 'Evicted'],
  ['a node that is drained', disruptedBy('EvictionByEvictionAPI'), 'Evicted'],
  ['a node that is closed or lost', disruptedBy('DeletionByTaintManager'), 'Node closed'],
  ['a higher priority', disruptedBy('PreemptionByScheduler'), 'Preempted'],
  ['somebody', podOf({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), 'Pod deleted'],
  ['a node that is gone', disruptedBy('DeletionByPodGC'), null],
  ['nobody', podOf({ phase: 'Running' }), null],
])('a pod that is ended by %s has this cause: %s', (_who, pod, title) => {
  expect(causeOfCluster(pod, LIMITS)?.title ?? null).toBe(title);
}); // prettier-ignore

const unscheduled = (message: string): Pod =>
  podOf({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] });
const stuck = (reason: string): Pod =>
  podOf({ initContainerStatuses: [{ name: 'transfer', state: { waiting: { reason, message: 'the words' } } }] });

test.each<[Pod, string | null, boolean]>([
  [unscheduled('0/1 nodes are available: 1 Insufficient cpu.'), 'No node of the cluster can take it: 0/1 nodes are available: 1 Insufficient cpu.', true],
  [unscheduled('0/1 nodes are available: 1 Too many pods.'), 'No node of the cluster can take it: 0/1 nodes are available: 1 Too many pods.', true],
  [unscheduled("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."), "No node of the cluster can take it: 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.", false],
  [stuck('ImagePullBackOff'), 'The container transfer cannot start (ImagePullBackOff): the words', false],
  [stuck('ErrImagePull'), 'The container transfer cannot start (ErrImagePull): the words', false],
  [stuck('PodInitializing'), null, false],
])('a pod waits, in words, and for room or not: %#', (pod, words, full) => {
  expect(waitOf(pod)).toBe(words);
  expect(isFull(words ?? '')).toBe(full);
}); // prettier-ignore

test('a program that the node could not start has no end', () => {
  const ended = (reason: string): Pod =>
    podOf({ containerStatuses: [{ name: 'program', state: { terminated: { exitCode: 128, reason } } }] });
  expect([programEnd(ended('StartError')), programEnd(ended('OOMKilled'))?.exitCode]).toEqual([null, 128]);
});
