import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { DataPoolMount, Limits } from '../types.ts';
import { CONTAINERS } from './pod.ts';
import type { KubernetesSettings } from './settings.ts';

/** User and group of all containers of a pod. */
const USER = 1000;
export const LABELS = {
  /** Id of the installation that an object belongs to. Two installations may share a namespace. */
  installation: 'kethub.io/installation',
  /** Place of the data folder from which an object was made. */
  place: 'kethub.io/place',
  /** Name of the job of an execution. */
  job: 'kethub.io/job',
  /** Id of the execution, where it can be a label. A pod that waits for one has none yet. */
  execution: 'kethub.io/execution',
  /** Version of a pod that waits for an execution, or has waited, where it can be a label. */
  warm: 'kethub.io/warm',
} as const;

/** Seconds for which a pod may live beyond the run time limit: pulling images, input and output. */
const SLACK_SECONDS = 1_800;
/**
 * Seconds from SIGTERM to SIGKILL. The sidecar gets SIGTERM at the end of the program. It then waits for a
 * worker that is away, with what the program left. A cancellation names its own seconds.
 */
const GRACE_SECONDS = 1_800;
/** Open files of a process. Beyond it open(2) fails. */
const OPEN_FILES = 1_024;
/** Factor over the output limits while a program runs: scratch files are allowed, a full disk is not. */
export const TOLERANCE = 2;
export const KETHUB = '/run/kethub';

/** Program of the sidecar, given on the command line: any image with Python will do. */
const TRANSFER = readFileSync(fileURLToPath(new URL('../../python/pod_transfer.py', import.meta.url)), 'utf8');

/** An address that a pod may connect to. */
export interface Destination {
  readonly host: string;
  readonly addresses: readonly string[];
  readonly port: number;
}

/** Annotation with the attempt of an execution. */
export const ATTEMPT = 'kethub.io/attempt';

/** Names the attempt of an execution: each one has a token of its own. */
export function attemptOf({ tokenHash }: { readonly tokenHash: string }): string {
  return tokenHash.slice(0, 16);
}

/** The last word of a log: the shell around the program writes it when the program has ended. */
export function endMark(attempt: string): string {
  return `\u001eEND ${attempt}`;
}

/**
 * Blanks that follow the last word. Two pipes of 64 KiB and 4 KiB of a copy lie between the shell and containerd. Before
 * its versions 1.6.22 and 1.7.3 it drops all of this when a container ends. A shell that has ended has written more
 * than they hold, so that the last word has left them.
 */
export const BLANKS = 256 * 1024;

export interface Order {
  readonly settings: KubernetesSettings;
  readonly job: string;
  readonly installation: string;
  readonly place: string;
  readonly attempt: string;
  readonly executionId: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly dataPools: readonly DataPoolMount[];
  readonly limits: Limits;
  readonly gpus: number;
  /** Certificates by which pods know us; null for those of the image. */
  readonly certificates: string | null;
  /** Our own address, and the hosts that the version declares. */
  readonly ours: Destination;
  readonly hosts: readonly Destination[];
  /** Set for a pod that waits for an execution of this version. */
  readonly warmFor?: string;
}

/**
 * The name of the job of an execution: its id, or its digest where an id cannot be a name. A copy of a data folder may
 * begin the same execution, so each place has names of its own.
 */
export function jobName(place: string, executionId: string): string {
  const isLabel = /^[a-z0-9][a-z0-9-]{0,39}$/.test(executionId) && !executionId.endsWith('-');
  const id = isLabel ? executionId : createHash('sha256').update(executionId).digest('hex').slice(0, 40);
  return `kethub-${createHash('sha256').update(place).digest('hex').slice(0, 8)}-${id}`;
}

/** A label with an id, unless the id cannot be one. */
export function idLabel(label: string, id: string): Record<string, string> {
  return /^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/.test(id) ? { [label]: id } : {};
}

function metadataOf({ job, installation, place, attempt, executionId, warmFor }: Order): object {
  return {
    name: job,
    annotations: { [ATTEMPT]: attempt },
    labels: {
      'app.kubernetes.io/managed-by': 'kethub',
      [LABELS.installation]: installation,
      [LABELS.place]: place,
      [LABELS.job]: job,
      ...(warmFor === undefined ? idLabel(LABELS.execution, executionId) : idLabel(LABELS.warm, warmFor)),
    },
  };
}

/** The job of a pod. It is made suspended: no pod exists before its secret and its network policy do. */
export function jobOf(order: Order, pod: object): object {
  const metadata = metadataOf(order) as { labels: object; annotations: object };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: {
      suspend: true,
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      // A pod whose end is not certain is never replaced.
      podReplacementPolicy: 'Failed',
      template: { metadata: { labels: metadata.labels, annotations: metadata.annotations }, spec: pod },
    },
  };
}

/** Resources that the program of an execution asks for, which are its limits as well. */
export function resourcesOf({ settings, limits, gpus }: Order): Record<string, string> {
  return {
    memory: String(limits.memoryBytes),
    cpu: `${Math.max(1, Math.round(limits.cpus * 1_000))}m`,
    ...(gpus > 0 && { [settings.gpuResource]: String(gpus) }),
    ...settings.resources,
  };
}

/** The frame of every pod: its user, its names, and the volumes of the sidecar. */
export function frameOf(order: Order): { readonly volumes: readonly object[] } {
  const { settings, limits, ours, hosts, dataPools, warmFor } = order;
  const waits = warmFor === undefined ? 0 : WARM_POD_MS / 1_000;
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    hostname: 'service',
    // Counted from the moment when a node has taken the pod; a job would also count the time that it waits.
    activeDeadlineSeconds: Math.ceil(limits.runTimeMs / 1_000) + SLACK_SECONDS + waits,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: {
      runAsUser: USER,
      runAsGroup: USER,
      runAsNonRoot: true,
      fsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(Object.keys(settings.nodeSelector).length > 0 && { nodeSelector: settings.nodeSelector }),
    // Names are resolved here, so that pods need no name server.
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['127.0.0.1'] },
    hostAliases: [ours, ...hosts].flatMap(({ host, addresses }) =>
      isIP(host) !== 0 ? [] : addresses.map((ip) => ({ ip, hostnames: [host] })),
    ),
    volumes: [
      { name: 'exchange', emptyDir: {} },
      { name: 'output', emptyDir: { sizeLimit: String(limits.outputBytes * TOLERANCE) } },
      {
        name: 'pools',
        emptyDir: { ...(dataPools.some(({ writable }) => writable) && { sizeLimit: poolsLimit(limits) }) },
      },
      { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: String(limits.tmpBytes) } },
      { name: 'handover', emptyDir: { medium: 'Memory', sizeLimit: '256Mi' } },
      { name: 'secret', secret: { secretName: order.job, defaultMode: 0o440 } },
    ],
  } as { readonly volumes: readonly object[] };
}

/** The sidecar: a container of Kethub beside the program, from input to output. One for the input alone would cost a second. */
export function transferOf(order: Order, image: string, environment: Readonly<Record<string, string>> = {}): object {
  return {
    image,
    resources: { requests: { memory: '48Mi', cpu: '10m' }, limits: { memory: '256Mi', cpu: '1' } },
    securityContext: SECURITY,
    env: [...ownEnvironment(order), ...variables(environment)],
    name: CONTAINERS.transfer,
    restartPolicy: 'Always',
    command: ['python3', '-I', '-S', '-u', '-c', TRANSFER],
    volumeMounts: OWN_MOUNTS,
  };
}

/** The pod of a Python service. */
export function pythonPod(order: Order, { python, hasLayer }: { python: string; hasLayer: boolean }): object {
  const { settings, limits } = order;
  const image = settings.image.replaceAll('{python}', python);
  return {
    ...frameOf(order),
    initContainers: [transferOf(order, image, order.warmFor === undefined ? {} : { WAITS: 'yes' })],
    containers: [
      {
        name: CONTAINERS.program,
        image,
        command: ['/bin/sh', '-c', startOf(order)],
        workingDir: '/var/runtime/output',
        env: variables({ LANG: 'C.UTF-8', ...baseEnvironment(limits.cpus), ...order.environment }),
        resources: { requests: resourcesOf(order), limits: resourcesOf(order) },
        securityContext: SECURITY,
        volumeMounts: [
          exchanged('app', '/app'),
          exchanged('runner', '/runner'),
          ...(hasLayer ? [exchanged('deps', '/deps')] : []),
          ...programMounts(order),
        ],
      },
    ],
  };
}

/** A text as it is: the cluster would replace `$(NAME)` and `$$` in commands and variables. */
export function literal(text: string): string {
  return text.replaceAll('$', () => '$$');
}

/** Variables of a container. */
export function variables(environment: Readonly<Record<string, string>>): object[] {
  return Object.entries(environment).map(([name, value]) => ({ name, value: literal(value) }));
}

export const SECURITY = {
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Folders of the sidecar. */
const OWN_MOUNTS = [
  { name: 'secret', mountPath: `${KETHUB}/secret`, readOnly: true },
  { name: 'exchange', mountPath: `${KETHUB}/exchange` },
  { name: 'pools', mountPath: `${KETHUB}/pools` },
  { name: 'output', mountPath: `${KETHUB}/output` },
  { name: 'handover', mountPath: `${KETHUB}/handover` },
];

/** A folder of the exchange between the sidecar and the others. */
export function exchanged(name: string, mountPath: string, writable = false): object {
  return { name: 'exchange', subPath: name, mountPath, readOnly: !writable };
}

/** Folders that every program has. */
export function programMounts({ dataPools }: Order): object[] {
  return [
    exchanged('result', `${KETHUB}/result`, true),
    { name: 'handover', mountPath: `${KETHUB}/handover` },
    { name: 'output', subPath: 'output', mountPath: '/var/runtime/output' },
    { name: 'tmp', mountPath: '/tmp' },
    ...dataPools.map(({ parameter, writable }, index) => {
      if (!/^[^/\0:]+$/.test(parameter) || parameter.startsWith('.'))
        throw new Error(`"${parameter}" cannot be a folder.`);
      return {
        name: 'pools',
        subPath: String(index),
        mountPath: `/var/runtime/datapool/${parameter}`,
        readOnly: !writable,
      };
    }),
  ];
}

/** Milliseconds for which a pod waits for an execution. Then another takes its place, with addresses and certificates of that time. */
export const WARM_POD_MS = 900_000;
/** Sleeps until the sidecar has news, which may take minutes. */
const SLEEP = `if [ -p ${KETHUB}/result/news ]; then read -r _ <>${KETHUB}/result/news; else sleep 0.02; fi`;

/**
 * Waits for the input with this shell, or ends without having run. `tools`: the path before its commands. `sleep`: the
 * pause between two looks.
 */
export function waitForInput(limits: Limits, tools = '', sleep = `${tools}sleep 0.02`): string {
  return `ulimit -c 0; ulimit -n ${OPEN_FILES}; ulimit -f ${Math.ceil(limits.fileBytes / 512)}
trap 'exit 125' TERM
: >${KETHUB}/result/waiting
while [ ! -e ${KETHUB}/result/ready ]; do
  [ ! -e ${KETHUB}/result/refused ] || { ${tools}cat ${KETHUB}/result/refused >/dev/termination-log; exit 125; }
  ${sleep}
done`;
}

/**
 * Passes SIGTERM on to the program, which this shell has just started. After `last` it marks the end of the log, and ends
 * with the code of the program. It opens the log anew, as the program may have left it without waiting (O_NONBLOCK).
 */
export function waitForProgram({ attempt }: Order, last = ''): string {
  return `program=$!
exec 3>&- 4<&- 5>&- 2>/dev/null
[ -z "$stop" ] || kill -TERM "$program"
wait "$program"; code=$?
while kill -0 "$program" 2>/dev/null; do wait "$program"; code=$?; done
${last}end() { printf '%s\\n%-${BLANKS}s\\n' '${endMark(attempt)}' '${endMark(attempt)}'; }
end >>/proc/self/fd/1 || end
exit "$code"`;
}
export const PASS_TERM = `trap 'stop=1; kill -TERM "$program" 2>/dev/null' TERM`;

/**
 * The start of the program. It waits for the input, or for a refusal. It opens the job, which no file holds any more
 * before code of the service runs. It also opens the file of the result, which the program cannot open again under its
 * name. The shell stays as the first process, which the kernel shields from signals; it passes SIGTERM on, and ends
 * with the code of the program. Both streams are one: a node records two in pieces, and mixes them within a long line.
 */
function startOf(order: Order): string {
  return `${waitForInput(order.limits, '', order.warmFor === undefined ? undefined : SLEEP)}
exec 3>>${KETHUB}/result/written 4<${KETHUB}/handover/job
rm ${KETHUB}/handover/job || exit 125
${PASS_TERM}
python3 -I -S -u -B /runner/execute.py --bridge off --marks on <&4 4<&- 2>&1 &
${waitForProgram(order)}`;
}

function ownEnvironment({ settings, executionId, ours, dataPools, certificates }: Order): object[] {
  const url = new URL(settings.url);
  return [
    {
      name: 'PLATFORM_URL',
      value: `${url.protocol}//${ours.host.includes(':') ? `[${ours.host}]` : ours.host}:${ours.port}`,
    },
    { name: 'EXECUTION_ID', value: executionId },
    ...(certificates === null ? [] : [{ name: 'PLATFORM_CERTIFICATES', value: certificates }]),
    {
      name: 'WRITABLE_POOLS',
      value: dataPools.flatMap(({ writable }, index) => (writable ? [index] : [])).join(','),
    },
    { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
  ];
}

function poolsLimit(limits: Limits): string {
  return String(limits.outputBytes * TOLERANCE * 2);
}

/** Variables that every program starts with. */
export function baseEnvironment(cpus: number): Record<string, string> {
  const threads = String(Math.max(1, Math.floor(cpus)));
  return {
    HOME: '/tmp',
    OMP_NUM_THREADS: threads,
    OPENBLAS_NUM_THREADS: threads,
    MKL_NUM_THREADS: threads,
  };
}

interface Owner {
  readonly metadata: { readonly name: string; readonly uid: string };
}

function ownedBy({ metadata }: Owner): object {
  return {
    ownerReferences: [
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        name: metadata.name,
        uid: metadata.uid,
        controller: false,
        blockOwnerDeletion: false,
      },
    ],
  };
}

/** The secret of an execution: what the sidecar needs, and what the service is given. It goes with the job. */
export function secretOf(order: Order, owner: Owner, token: string, handover: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadataOf(order), ...ownedBy(owner) },
    type: 'Opaque',
    immutable: true,
    stringData: { token, job: handover },
  };
}

/** Lets a pod connect to us and to the hosts that its version declares, and nobody to the pod. */
export function policyOf(order: Order, owner: Owner): object {
  const rule = ({ addresses, port }: Destination, peers: object[] = []): object => ({
    to: [...addresses.map((ip) => ({ ipBlock: { cidr: isIP(ip) === 6 ? `${ip}/128` : `${ip}/32` } })), ...peers],
    ports: [{ protocol: 'TCP', port }],
  });
  // Behind the address of a service stands a pod, which some networks see in its place.
  const platform = { namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'kethub' } } };
  const reachable = order.hosts.filter(({ addresses }) => addresses.length > 0);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { ...metadataOf(order), ...ownedBy(owner) },
    spec: {
      podSelector: { matchLabels: { [LABELS.job]: order.job } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [rule(order.ours, [platform]), ...reachable.map((host) => rule(host))],
    },
  };
}
