import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { busyboxTool, endShims, unmountBelow } from './container-engine.ts';
import { freePort } from './free-port.ts';
import { makeCertificates } from './kubernetes/certificates.ts';
import { loadPause, loadPython, PAUSE } from './kubernetes/images.ts';
import { podNetwork, serviceOfApi, takeNetwork, type Network } from './kubernetes/network.ts';
import { filterPods, hasQueue, queueOf } from './kubernetes/policies.ts';
import { serveServices } from './kubernetes/services-stand-in.ts';
import type { Tool } from './system-tools.ts';

/** Tools of a node beside Kubernetes itself, which `kubernetes/build.ts` builds. */
export const kubernetesTools: readonly Tool[] = [
  { what: 'containerd', package: 'containerd', isThere: () => existsSync('/usr/bin/containerd') },
  { what: 'runc', package: 'runc', isThere: () => existsSync('/usr/sbin/runc') },
  {
    what: 'network plugins of containers',
    package: 'containernetworking-plugins',
    isThere: () => existsSync('/usr/lib/cni/bridge'),
  },
  { what: 'iptables', package: 'iptables', isThere: () => existsSync('/usr/sbin/iptables') },
  { what: 'OpenSSL', package: 'openssl', isThere: () => existsSync('/usr/bin/openssl') },
  { what: 'ip', package: 'iproute2', isThere: () => existsSync('/usr/sbin/ip') || existsSync('/sbin/ip') },
  busyboxTool,
];

/** Milliseconds for one part to become ready. */
const READY_MS = 180_000;

export type Part = 'etcd' | 'containerd' | 'apiserver' | 'controllers' | 'scheduler' | 'kubelet' | 'policies';

export interface Cluster {
  /** Address of the API server. */
  readonly server: string;
  /** Address of this machine that pods reach. */
  readonly address: string;
  readonly caFile: string;
  /** Asks the API server as its administrator. A body that is a text is YAML. */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  kill(part: Part): Promise<void>;
  start(part: Part): Promise<void>;
  /** Loads an image from an archive of `docker save`. */
  load(archive: string): void;
  /** Gives a loaded image another name. */
  tag(image: string, other: string): void;
  /** Lets the node pull from a registry without TLS. */
  trust(registry: string): void;
  stop(): Promise<void>;
}

/**
 * Starts a Kubernetes of one node on this machine, beside any other: all parts on free ports and below one folder. Needs
 * root. `program`: what `buildKubernetes` has built. With `services`, pods reach services by address and name. With
 * `policies`, what `buildPolicies` has built, network policies are enforced between pods and other machines.
 */
export async function startKubernetes(
  program: string,
  { services = false, policies }: { readonly services?: boolean; readonly policies?: string } = {},
): Promise<Cluster> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-kubernetes-'));
  const at = (name: string): string => path.join(folder, name);
  for (const name of ['log', 'etcd', 'pki', 'cni', 'containerd', 'kubelet', 'pods']) mkdirSync(at(name));
  const network = takeNetwork();
  const ports = {
    etcd: await freePort(),
    peers: await freePort(),
    api: await freePort(),
    kubelet: await freePort(),
    controllers: await freePort(),
    scheduler: await freePort(),
  };
  const server = `https://127.0.0.1:${ports.api}`;
  makeCertificates(at('pki'), network.address, serviceOfApi(network));
  writeFiles(folder, network, server, ports.kubelet, services);
  makeCgroups(network.bridge);
  const commands = commandsOf(folder, program, network, ports, policies ?? '');
  const running = new Map<Part, ChildProcess>();
  const agent = new https.Agent({ keepAlive: true });
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => readFileSync(at(`pki/${name}`)));
  const ask: Cluster['ask'] = (method, where, body) =>
    new Promise((resolve, reject) => {
      const type =
        typeof body === 'string'
          ? 'application/yaml'
          : method === 'PATCH'
            ? 'application/merge-patch+json'
            : 'application/json';
      const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      // Node sends the body of a DELETE only with its length.
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(sent ?? '') };
      const request = https.request(
        `${server}${where}`,
        { method, agent, ca, cert, key, headers, timeout: 30_000 },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          answer.once('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
            }),
          );
        },
      );
      request.once('error', reject).once('timeout', () => request.destroy(new Error('no answer')));
      request.end(sent);
    });
  const ready: Record<Part, () => Promise<boolean>> = {
    etcd: () => Promise.resolve(true),
    containerd: () =>
      Promise.resolve(
        spawnSync('ctr', ['--address', at('containerd.sock'), 'version'], { stdio: 'ignore' }).status === 0,
      ),
    apiserver: async () => (await ask('GET', '/readyz')).status === 200,
    controllers: async () => (await ask('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200,
    scheduler: () => Promise.resolve(true),
    kubelet: async () => isReady((await ask('GET', '/api/v1/nodes/node1')).body),
    policies: () => Promise.resolve(hasQueue(queueOf(network.number))),
  };
  const start = async (part: Part): Promise<void> => {
    const log = openSync(at(`log/${part}`), 'a');
    const [command = '', ...args] = commands[part];
    const child = spawn(command, args, {
      cwd: folder,
      stdio: ['ignore', log, log],
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder },
    });
    closeSync(log);
    running.set(part, child);
    for (const end = Date.now() + READY_MS; !(await ready[part]().catch(() => false)); await pause(100)) {
      if (child.exitCode === null && child.signalCode === null && Date.now() < end) continue;
      throw new Error(`${part} does not start:\n${readFileSync(at(`log/${part}`), 'utf8').slice(-3_000)}`);
    }
  };
  const kill = async (part: Part, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const child = running.get(part);
    running.delete(part);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const images = (...args: string[]): void =>
    void execFileSync('ctr', ['--address', at('containerd.sock'), '--namespace', 'k8s.io', 'images', ...args], {
      stdio: 'pipe',
    });
  const load = (archive: string): void => images('import', archive);
  let served: { close(): void } | null = null;
  let unfilter = (): void => undefined;
  const cluster: Cluster = {
    server,
    address: network.address,
    caFile: at('pki/ca.crt'),
    ask,
    kill: (part) => kill(part),
    start,
    load,
    tag: (image, other) => images('tag', image, other),
    trust(registry) {
      mkdirSync(at(`registries/${registry}`), { recursive: true });
      // Without the first line an image that is missing would be looked for over TLS, and the answer to that be told.
      const host = `server = "http://${registry}"\n[host."http://${registry}"]\ncapabilities = ["pull", "resolve"]\n`;
      writeFileSync(at(`registries/${registry}/hosts.toml`), host);
    },
    async stop() {
      served?.close();
      agent.destroy();
      await kill('kubelet', 'SIGTERM');
      unfilter();
      endContainers(folder);
      for (const part of ['policies', 'scheduler', 'controllers', 'apiserver', 'etcd', 'containerd'] as const)
        await kill(part, 'SIGTERM');
      endShims(folder);
      network.release();
      unmountBelow(folder);
      removeCgroups(network.bridge);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
  try {
    await start('etcd');
    await start('containerd');
    loadPause(load);
    loadPython(load);
    await start('apiserver');
    await start('controllers');
    await start('scheduler');
    await start('kubelet');
    if (policies !== undefined) {
      filterPods('--append', network);
      unfilter = () => filterPods('--delete', network);
      await start('policies');
    }
    if (services)
      served = await serveServices(ask, { address: network.address, link: network.link, apiPort: ports.api });
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

function isReady(node: Record<string, unknown>): boolean {
  const { status } = node as { status?: { conditions?: { type: string; status: string }[] } };
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

function commandsOf(
  folder: string,
  program: string,
  { address, services, number }: Network,
  ports: Record<'etcd' | 'peers' | 'api' | 'controllers' | 'scheduler', number>,
  policies: string,
): Record<Part, string[]> {
  const pki = (name: string): string => path.join(folder, 'pki', name);
  const config = (name: string): string => path.join(folder, `${name}.conf`);
  const [client, peer] = [`http://127.0.0.1:${ports.etcd}`, `http://127.0.0.1:${ports.peers}`];
  return {
    etcd: [program, 'etcd', '--data-dir', path.join(folder, 'etcd'), `--listen-client-urls=${client}`, `--advertise-client-urls=${client}`, `--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`, '--unsafe-no-fsync'],
    containerd: ['/usr/bin/containerd', '-c', path.join(folder, 'containerd.toml')],
    apiserver: [
      program, 'apiserver', `--etcd-servers=${client}`, '--bind-address=127.0.0.1', `--advertise-address=${address}`, `--secure-port=${ports.api}`,
      `--tls-cert-file=${pki('apiserver.crt')}`, `--tls-private-key-file=${pki('apiserver.key')}`, `--client-ca-file=${pki('ca.crt')}`,
      '--service-account-issuer=https://kubernetes.default.svc', `--service-account-key-file=${pki('accounts.key')}`,
      `--service-account-signing-key-file=${pki('accounts.key')}`, `--service-cluster-ip-range=${services}`, '--authorization-mode=Node,RBAC',
      `--kubelet-client-certificate=${pki('admin.crt')}`, `--kubelet-client-key=${pki('admin.key')}`, `--kubelet-certificate-authority=${pki('ca.crt')}`,
      '--kubelet-preferred-address-types=InternalIP', '--profiling=false', '--max-requests-inflight=800', '--allow-privileged=true',
    ],
    controllers: [
      program, 'controllers', `--kubeconfig=${config('controllers')}`, `--service-account-private-key-file=${pki('accounts.key')}`,
      `--root-ca-file=${pki('ca.crt')}`, '--use-service-account-credentials=true', '--leader-elect=false', '--bind-address=127.0.0.1',
      `--secure-port=${ports.controllers}`, '--controllers=*,-cloud-node-lifecycle-controller,-service-lb-controller,-node-route-controller',
      '--node-monitor-grace-period=20s', '--kube-api-qps=200', '--kube-api-burst=400',
    ],
    scheduler: [program, 'scheduler', `--kubeconfig=${config('scheduler')}`, '--leader-elect=false', '--bind-address=127.0.0.1', `--secure-port=${ports.scheduler}`],
    policies: [policies, `--kubeconfig=${config('admin')}`, '--node=node1', `--table=kethubp${number}`, `--queue=${queueOf(number)}`],
    kubelet: [program, 'kubelet', `--config=${path.join(folder, 'kubelet.yaml')}`, `--kubeconfig=${config('node')}`, `--root-dir=${path.join(folder, 'kubelet')}`, '--hostname-override=node1', `--node-ip=${address}`],
  }; // prettier-ignore
}

function writeFiles(folder: string, network: Network, server: string, kubeletPort: number, services: boolean): void {
  const at = (name: string): string => path.join(folder, name);
  for (const user of ['admin', 'controllers', 'scheduler', 'node'])
    writeFileSync(
      at(`${user}.conf`),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'k', cluster: { server, 'certificate-authority': at('pki/ca.crt') } }],
        users: [
          { name: 'u', user: { 'client-certificate': at(`pki/${user}.crt`), 'client-key': at(`pki/${user}.key`) } },
        ],
        contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
        'current-context': 'c',
      }),
    );
  writeFileSync(at('cni/10-bridge.conflist'), JSON.stringify(podNetwork(network, at('ipam'))));
  writeFileSync(at('containerd.toml'), containerdSettings(folder));
  writeFileSync(
    at('kubelet.yaml'),
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: network.address,
      authentication: {
        x509: { clientCAFile: at('pki/ca.crt') },
        anonymous: { enabled: false },
        webhook: { enabled: true },
      },
      authorization: { mode: 'Webhook' },
      tlsCertFile: at('pki/kubelet.crt'),
      tlsPrivateKeyFile: at('pki/kubelet.key'),
      cgroupDriver: 'cgroupfs',
      cgroupRoot: `/${network.bridge}`,
      failCgroupV1: false,
      enforceNodeAllocatable: [],
      containerRuntimeEndpoint: `unix://${at('containerd.sock')}`,
      failSwapOn: false,
      healthzPort: 0,
      readOnlyPort: 0,
      port: kubeletPort,
      maxPods: 250,
      podLogsDir: at('pods'),
      podPidsLimit: 256,
      // A volume that is too full is noticed when its use is measured, which is every minute by default.
      volumeStatsAggPeriod: '5s',
      serializeImagePulls: false,
      imageMinimumGCAge: '24h',
      evictionHard: { 'nodefs.available': '1%', 'imagefs.available': '1%', 'memory.available': '100Mi' },
      clusterDomain: 'cluster.local',
      clusterDNS: services ? [network.address] : [],
    }),
  );
}

function containerdSettings(folder: string): string {
  return `version = 2
root = "${folder}/containerd/root"
state = "${folder}/containerd/state"
oom_score = 0
[grpc]
  address = "${folder}/containerd.sock"
[debug]
  level = "warn"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE}"
  disable_apparmor = true
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${folder}/registries"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
`;
}

/** Shares of the processors: ten busy processes. With those of one, the pods of a busy machine stand still. */
const SHARES = [
  ['cpu.shares', '10240'],
  ['cpu.weight', '1000'],
] as const;

/** Makes the cgroups of a node. Two nodes with the same ones would end each other's pods. */
function makeCgroups(name: string): void {
  for (const tree of cgroupTrees()) {
    const group = path.join(tree, name);
    mkdirSync(group, { recursive: true });
    for (const [file, most] of SHARES)
      if (existsSync(path.join(group, file))) writeFileSync(path.join(group, file), most);
    for (const setting of ['cpuset.cpus', 'cpuset.mems'])
      if (existsSync(path.join(group, setting)) && !existsSync(path.join(tree, 'cgroup.controllers')))
        writeFileSync(path.join(group, setting), readFileSync(path.join(tree, setting)));
  }
}

/** Removes them from the innermost on. One that still has a process stays. */
function removeCgroups(name: string): void {
  for (const tree of cgroupTrees())
    spawnSync('find', [path.join(tree, name), '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';'], {
      stdio: 'ignore',
    });
}

/** The trees of cgroups of this machine: one of version 2, or one for each controller. */
function cgroupTrees(): string[] {
  const top = '/sys/fs/cgroup';
  if (existsSync(path.join(top, 'cgroup.controllers'))) return [top];
  return readdirSync(top, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(top, name));
}

/** Kills all processes of containers, and then forgets the containers. */
function endContainers(folder: string): void {
  const ctr = (...args: string[]): string =>
    spawnSync('ctr', ['--address', path.join(folder, 'containerd.sock'), '--namespace', 'k8s.io', ...args], {
      encoding: 'utf8',
      timeout: 30_000,
    }).stdout ?? '';
  for (const id of ctr('tasks', 'ls', '--quiet').split('\n').filter(Boolean)) ctr('tasks', 'delete', '--force', id);
  for (const id of ctr('containers', 'ls', '--quiet').split('\n').filter(Boolean)) {
    const network = /\/run\/netns\/(cni-[0-9a-f-]+)/.exec(ctr('containers', 'info', id))?.[1];
    ctr('containers', 'delete', id);
    if (network !== undefined) spawnSync('ip', ['netns', 'delete', network], { stdio: 'ignore' });
  }
}
