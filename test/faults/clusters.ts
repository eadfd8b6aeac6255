import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { slurmSettings } from '@kethub/server/testing/slurm';
import { kubernetesSettings } from '@kethub/server/testing/kubernetes';
import { NAMESPACE, openCluster } from '@kethub/runtime/testing/cluster';
import { startSlurm } from '../../script/slurm.ts';
import type { Kind } from './judge.ts';
import { openReports } from './reports.ts';

/** A real cluster that runs the executions of Python services in the place of sandboxes. */
export interface FaultyCluster {
  readonly name: 'kubernetes' | 'slurm';
  /** Settings of a platform that uses it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly kind: Kind;
  /** `host:port` of the server to which each run reports itself, and the number of runs by mark. */
  readonly reportsTo: string;
  runs(): ReadonlyMap<string, number>;
  /** Parts that can be killed, by the name of the fault. */
  readonly parts: Readonly<Record<string, (away: () => Promise<void>) => Promise<void>>>;
  /** Removes one running execution behind the back of the platform. Returns false if there is none. */
  removeOne(random: () => number): Promise<boolean>;
  /** Leftovers of executions that have ended, one sentence each. */
  left(dataDir: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Half seconds. A node whose daemon was killed ends a job only when it is told again, which takes minutes. */
const ATTEMPTS = 720;
/** Tenths of a second until something to remove has begun. */
const ATTEMPTS_TO_REMOVE = 150;
const OPERATOR_LOOKS_MS = 5_000;
/** Address of this machine that nodes on it reach. */
const LOOPBACK = '127.0.0.2';

const OF_CLUSTERS: Kind = {
  raised: 'ValueError',
  lostWith: ['removal'],
  gaps: null,
  removed: /^(Pod deleted|Evicted|Job cancelled|Job removed|Job not started)$/,
  waiting: /^The cluster has not started the program yet\./,
};

/** @param warmPods pods of Kubernetes that wait for executions of the service. */
export async function openFaultyCluster(name: FaultyCluster['name'], warmPods: number): Promise<FaultyCluster> {
  return name === 'kubernetes' ? openKubernetes(warmPods) : openSlurm();
}

async function openKubernetes(warmPods: number): Promise<FaultyCluster> {
  const cluster = await openCluster();
  const reports = await openReports(cluster.address);
  const where = {
    jobs: `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`,
    policies: `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`,
    pods: `/api/v1/namespaces/${NAMESPACE}/pods`,
    secrets: `/api/v1/namespaces/${NAMESPACE}/secrets`,
    claims: `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`,
    volumes: '/api/v1/persistentvolumes',
  };
  const namesAt = async (at: string): Promise<string[]> => {
    const { items = [] } = (await cluster.ask('GET', at)).body as { items?: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  };
  /** Everything that is there, but for what belongs to the pods that may wait. */
  const left = async (): Promise<string[]> => {
    const waiting = await namesAt(`${where.jobs}?labelSelector=kethub.io/warm,!kethub.io/execution`);
    const all = await Promise.all(
      Object.entries(where).map(async ([what, at]) => (await namesAt(at)).map((one) => [what, one] as const)),
    );
    return all.flat().flatMap(([what, one]) => {
      const mayStay = waiting.length <= warmPods && waiting.some((job) => one === job || one.startsWith(`${job}-`));
      return mayStay ? [] : [`${what}: ${one}`];
    });
  };
  const killed =
    (part: 'apiserver' | 'kubelet' | 'controllers' | 'scheduler') =>
    async (away: () => Promise<void>): Promise<void> => {
      await cluster.kill(part);
      await away();
      await cluster.start(part);
    };
  return {
    name: 'kubernetes',
    settings: {
      ...(await kubernetesSettings(cluster)),
      KETHUB_SERVICE_NETWORKS: `${cluster.address}/32`,
      KETHUB_KUBERNETES_WARM_PODS: String(warmPods),
    },
    kind: OF_CLUSTERS,
    reportsTo: reports.address,
    runs: reports.runs,
    parts: {
      apiserver: killed('apiserver'),
      kubelet: killed('kubelet'),
      controllers: killed('controllers'),
      scheduler: killed('scheduler'),
    },
    async removeOne(random) {
      const pods = await someOf(() => namesAt(where.pods));
      const pod = pods[Math.floor(random() * pods.length)];
      if (pod === undefined) return false;
      // By force, in a hurry, and as politely as its own time of grace says.
      const grace = [{ gracePeriodSeconds: 0 }, { gracePeriodSeconds: 1 }, {}][Math.floor(random() * 3)];
      return (await cluster.ask('DELETE', `${where.pods}/${pod}`, { kind: 'DeleteOptions', ...grace })).status === 200;
    },
    left: () => untilNone(left),
    async close() {
      reports.close();
      await cluster.stop();
    },
  };
}

async function openSlurm(): Promise<FaultyCluster> {
  const slurm = await startSlurm();
  const reports = await openReports(LOOPBACK);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-faults-slurm-'));
  const settings = await slurmSettings(slurm, folder);
  const environment = { PATH: '/usr/bin:/bin', SLURM_CONF: slurm.configuration };
  /** Numbers of the jobs in the queue, or what else squeue shows of them. */
  const queue = (format = '%i', ...options: string[]): string[] =>
    execFileSync('squeue', ['--noheader', `--format=${format}`, ...options], { env: environment, encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  const look = (program: string, args: readonly string[]) => promisify(execFile)(program, args, { env: environment });
  const resume = (line: string) => look('scontrol', ['update', `nodename=${line.split('|')[0]}`, 'state=resume']);
  const node =
    (name: string) =>
    async (away: () => Promise<void>): Promise<void> => {
      await slurm.killNode(name);
      await away();
      slurm.startNode(name);
    };
  // A controller that was killed may start a job again that still runs. Slurm refuses, and drains the node until an
  // operator resumes it.
  const operator = setInterval(() => {
    void look('sinfo', ['--noheader', '--Node', '--list-reasons', '--format=%N|%E'])
      .then(({ stdout }) => stdout.split('\n').filter((line) => line.endsWith('|Duplicate jobid')))
      .then((lines) => Promise.all(lines.map(resume)))
      // The controller is away: the next look finds the same.
      .catch(() => undefined);
  }, OPERATOR_LOOKS_MS);
  return {
    name: 'slurm',
    settings: { ...settings, KETHUB_SERVICE_NETWORKS: `${LOOPBACK}/32` },
    // A controller that is killed before it has saved that a job began aborts the job after its start.
    kind: { ...OF_CLUSTERS, lostWith: [...OF_CLUSTERS.lostWith, 'slurmctld'] },
    reportsTo: reports.address,
    runs: reports.runs,
    parts: {
      async slurmctld(away) {
        await slurm.stopController('SIGKILL');
        await away();
        slurm.startController();
      },
      slurmd: node('node1'),
      'slurmd-2': node('node2'),
      async slurmrestd(away) {
        await slurm.killRest();
        await away();
        await slurm.startRest();
      },
    },
    async removeOne(random) {
      const jobs = await someOf(() => Promise.resolve(queue('%i', '--states=PENDING,RUNNING')));
      const job = jobs[Math.floor(random() * jobs.length)];
      if (job !== undefined) execFileSync('scancel', [job], { env: environment });
      return job !== undefined;
    },
    left: (dataDir) =>
      untilNone(() =>
        Promise.resolve([
          ...queue('%i %T %r %j').map((job) => `job: ${job}`),
          ...readdirSync(path.join(dataDir, 'slurm')).map((name) => `folder of a job: ${name}`),
        ]),
      ),
    async close() {
      clearInterval(operator);
      reports.close();
      await slurm.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits for the next execution: at most moments there is none, and nothing would be removed. */
async function someOf(look: () => Promise<string[]>): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const some = await look();
    if (some.length > 0 || attempt === ATTEMPTS_TO_REMOVE) return some;
    await pause(100);
  }
}

async function untilNone(look: () => Promise<string[]>): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const left = await look();
    if (left.length === 0 || attempt === ATTEMPTS) return left.map((one) => `the cluster has left ${one}`);
    await pause(500);
  }
}
