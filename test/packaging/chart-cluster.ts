import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { CHART, helm, writeKubeconfig } from '../../script/helm.ts';
import { startKubernetes, type Cluster } from '../../script/kubernetes.ts';
import { startPostgres, type Postgres } from '../../script/postgres.ts';
import { root } from '../../script/run.ts';
import { startS3Server, type S3Server } from '../../script/s3.ts';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
/** Images of this clone, and the same ones under the name of a next release. */
export const IMAGES = {
  platform: `localhost/kethub-platform:${version}`,
  worker: `localhost/kethub-worker:${version}`,
};
export const NEXT = { platform: 'localhost/kethub-platform:next', worker: 'localhost/kethub-worker:next' };

/** An object of the API server, as far as a test reads it. */
export interface Item {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

/** A cluster with a database and a store of files beside it, and Helm with the rights of its administrator. */
export interface ChartCluster {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly postgres: Postgres;
  readonly s3: S3Server;
  /** Address of the database as pods reach it. */
  readonly databaseUrl: string;
  helm(...args: string[]): Promise<string>;
  /** The words with which Helm fails. */
  refusal(...args: string[]): Promise<string>;
  /** The objects that the chart makes. */
  render(...args: string[]): Promise<readonly Item[]>;
  create(where: string, body: object): Promise<void>;
  list(where: string): Promise<readonly Item[]>;
  /** Makes a namespace, and waits until pods can be made in it. */
  makeNamespace(name: string, labels?: Record<string, string>): Promise<void>;
  /** Makes volumes for the pods of the chart. */
  makeVolumes(count: number): Promise<void>;
  close(): Promise<void>;
}

/** @param programs paths of Kubernetes, Helm and the S3 server. */
export async function openChartCluster(
  programs: Readonly<Record<'kubernetes' | 'helm' | 's3', string>>,
): Promise<ChartCluster> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-packaging-'));
  const cluster = await startKubernetes(programs.kubernetes, { services: true });
  const postgres = await startPostgres({ durable: false, also: cluster.address });
  const s3 = await startS3Server(programs.s3, cluster.address);
  for (const target of ['platform', 'worker'] as const) {
    cluster.load(path.join(root, `.runtime/image/kethub-${target}-${version}.tar`));
    cluster.tag(IMAGES[target], NEXT[target]);
  }
  writeKubeconfig(cluster, path.join(folder, 'kubeconfig'));
  const create = async (where: string, body: object): Promise<void> => {
    const answer = await cluster.ask('POST', where, body);
    if (answer.status !== 201) throw new Error(`${where}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const run = (...args: string[]): Promise<string> => helm(programs.helm, args, folder);
  return {
    cluster,
    folder,
    postgres,
    s3,
    databaseUrl: postgres.url.replace('127.0.0.1', cluster.address),
    helm: run,
    refusal: (...args) =>
      run(...args).then(
        (said) => Promise.reject(new Error(`Helm did not fail: ${said}`)),
        (error: unknown) => String(error),
      ),
    render: async (...args) =>
      parseAllDocuments(await run('template', 'kethub', CHART, '--namespace', 'kethub', ...args)).flatMap(
        (document) => (document.toJS() as Item | null) ?? [],
      ),
    create,
    list: async (where) => ((await cluster.ask('GET', where)).body['items'] ?? []) as readonly Item[],
    async makeNamespace(name, labels = {}) {
      await create('/api/v1/namespaces', { metadata: { name, labels } });
      const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
      const authority = `/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`;
      for (const where of [account, authority])
        while ((await cluster.ask('GET', where)).status !== 200) await pause(50);
    },
    async makeVolumes(count) {
      for (let number = 1; number <= count; number++) {
        const at = path.join(folder, `data-${number}`);
        // As the kubelet leaves a volume for a pod with this group.
        mkdirSync(at);
        chownSync(at, 0, 1000);
        chmodSync(at, 0o2770);
        const spec = { capacity: { storage: '20Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: at } };
        await create('/api/v1/persistentvolumes', { metadata: { name: `data-${number}` }, spec });
      }
    },
    async close() {
      await cluster.stop();
      await s3.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes values into a file that Helm reads. */
export function writeValues(folder: string, values: object): string {
  const file = path.join(folder, 'values.yaml');
  writeFileSync(file, JSON.stringify(values));
  return file;
}

/** The rights of the Node process of a pod, as the kernel of this machine sees them. */
export function rightsOf({ metadata }: Item): Readonly<Record<string, string>> {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
      if (!read('cgroup').includes(metadata.uid) || !read('cmdline').includes('server/src/main.ts')) continue;
      if (!read('cmdline').startsWith('/usr/bin/node')) continue;
      const status = Object.fromEntries(
        read('status')
          .split('\n')
          .map((line) => line.split(':\t'))
          .map(([name = '', value = '']) => [name, value.trim().replaceAll('\t', ' ')]),
      );
      const mount =
        read('mountinfo')
          .split('\n')
          .find((line) => line.split(' ')[4] === '/') ?? '';
      return { ...status, root: mount.split(' ')[5]?.split(',')[0] ?? '' };
    } catch {
      // It has ended meanwhile.
    }
  }
  throw new Error(`No process of ${metadata.name} runs on this machine`);
}
