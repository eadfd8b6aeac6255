import { normalize } from 'node:path/posix';
import type { DataPoolMount, Limits } from '../types.ts';
import { MASKED } from '../sandbox/masks.ts';
import { commandWith, HELPER } from './handover.ts';

/** The user of every program in a container of the platform, also on the host: the engine maps no users. */
export const USER = 1000;

export const LABELS = {
  /** The id of the installation that a container or image belongs to. */
  installation: 'kethub.installation',
  /** The place of the data folder from which it was made. */
  place: 'kethub.place',
  execution: 'kethub.execution',
  /** The digest of the source that an image was built from. */
  source: 'kethub.source',
} as const;

/** The part of an image's configuration that decides how it is run. */
export interface ImageConfig {
  Entrypoint?: string[] | null;
  Cmd?: string[] | null;
  Volumes?: Record<string, unknown> | null;
  Healthcheck?: object | null;
}

export interface Description {
  image: string;
  config: ImageConfig;
  labels: Record<string, string>;
  environment: Readonly<Record<string, string>>;
  dataPools: readonly DataPoolMount[];
  limits: Limits;
  /** The command of the container. Default: the command of the image, after the handover by the helper. */
  command?: readonly string[];
  /** Default: the folder of the image. */
  workingDir?: string;
  /** The user of the program. Default {@link USER}. */
  user?: { readonly uid: number; readonly gid: number };
  /** True when the engine has to show our own user under the same number (Podman without root). */
  keepsUser?: boolean;
  /** Folders of this machine. Without a helper the command begins at once. */
  folders: { input: string; output: string; helper: string | null };
  /** Further folders and files of this machine. */
  binds?: readonly Bind[];
  network: string;
  /** The parent cgroup of the container. Null for the engine's own. */
  cgroup: string | null;
  /** The system-call filter in the engine's form: its text for Docker, the path of a file for Podman. */
  seccomp: string;
  /** True for Podman, which knows no owner of a tmpfs. Default false. */
  isPodman?: boolean;
}

const OURS = { uid: USER, gid: USER };

/** Paths that engines hide by default. A list of our own replaces theirs, so ours repeats it. */
const MASKED_BY_ENGINES = [
  '/proc/acpi', '/proc/asound', '/proc/kcore', '/proc/latency_stats', '/proc/sched_debug', '/proc/scsi', '/proc/timer_list',
  '/proc/timer_stats', '/sys/devices/virtual/powercap', '/sys/firmware',
]; // prettier-ignore
const MASKED_PATHS = [...MASKED_BY_ENGINES, ...MASKED.map((name) => `/proc/${name}`)];
/** Bytes that the engine keeps of a log beyond our limit. */
const LOG_SLACK = 1024 * 1024;
/** Open files of a process. Beyond it open(2) fails. */
const OPEN_FILES = 1024;
/** Bytes of /dev/shm at most. Beyond it a write fails. */
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

/** The body of `POST /containers/create`: one run, with nothing that its program does not need. */
export function describeContainer(description: Description): object {
  const { image, config, labels, environment, limits, user = OURS } = description;
  const command = description.command ?? [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])];
  return {
    Image: image,
    Labels: labels,
    User: `${user.uid}:${user.gid}`,
    Hostname: 'service',
    Entrypoint: description.folders.helper === null ? command : commandWith(command),
    Cmd: [],
    ...(description.workingDir !== undefined && { WorkingDir: description.workingDir }),
    Env: Object.entries({ ...baseEnvironment(limits.cpus), ...environment }).map(([name, value]) => `${name}=${value}`),
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: false,
    AttachStderr: false,
    // Podman sets up a timer for any value, which fails without systemd.
    ...(config.Healthcheck && { Healthcheck: { Test: ['NONE'] } }),
    HostConfig: hostConfig(description),
  };
}

function hostConfig({ config, limits, dataPools, folders, network, cgroup, seccomp, ...rest }: Description): object {
  const { user = OURS, keepsUser = false, binds = [], isPodman = false } = rest;
  const mounts = [
    ...(folders.helper === null ? [] : [bind(folders.helper, HELPER, false)]),
    ...binds,
    bind(folders.input, '/var/runtime/input', false),
    bind(folders.output, '/var/runtime/output', true),
    ...dataPools.map(({ parameter, path, writable }) => {
      if (!/^[^/\0]+$/.test(parameter) || parameter.startsWith('.'))
        throw new Error(`"${parameter}" cannot be a folder.`);
      return bind(path, `/var/runtime/datapool/${parameter}`, writable);
    }),
  ];
  return {
    // An init process forwards signals, which a program would ignore as the first process, and reaps its orphans.
    Init: true,
    NetworkMode: network,
    ...(keepsUser && { UsernsMode: 'keep-id' }),
    ...(cgroup !== null && { CgroupParent: cgroup }),
    RestartPolicy: { Name: 'no' },
    // The program can write where the image lets its user write. This layer ends with the container.
    ReadonlyRootfs: false,
    MaskedPaths: MASKED_PATHS,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges', `seccomp=${seccomp}`],
    // By default engines let every user of a container bind low ports.
    ...(network !== 'host' && { Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '1024' } }),
    Memory: limits.memoryBytes,
    MemorySwap: limits.memoryBytes,
    NanoCpus: Math.round(limits.cpus * 1e9),
    PidsLimit: limits.processes + 1,
    ShmSize: Math.min(SHARED_MEMORY_BYTES, limits.tmpBytes),
    // Below the limits of any daemon: raising one takes a capability that engines in virtual machines may lack.
    Ulimits: [
      { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
      { Name: 'fsize', Soft: limits.fileBytes, Hard: limits.fileBytes },
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
    Tmpfs: tmpfsMounts(['/tmp', ...Object.keys(config.Volumes ?? {})], mounts, limits, isPodman ? null : user),
    Mounts: mounts,
    // The engine keeps twice our limit, so that no line is missing when we come back to a container.
    LogConfig: { Type: 'json-file', Config: { 'max-size': String(limits.logBytes + LOG_SLACK), 'max-file': '2' } },
  };
}

/**
 * Memory for `/tmp` and for folders that are still declared as VOLUME (`build/image-volumes.ts`), where an engine would
 * mount a disk without a limit. The program owns it, because runc gives it the mode of the folder in the image.
 */
function tmpfsMounts(
  paths: readonly string[],
  mounts: readonly Bind[],
  limits: Limits,
  owner: { readonly uid: number; readonly gid: number } | null,
): object {
  const owned = owner === null ? '' : `,uid=${owner.uid},gid=${owner.gid}`;
  const options = `rw,exec,nosuid,nodev,size=${limits.tmpBytes},mode=1777${owned}`;
  const covered = paths.filter((path) => !mounts.some(({ Target }) => Target === normalize(path).replace(/\/$/, '')));
  return Object.fromEntries(covered.map((path) => [path, options]));
}

export interface Bind {
  readonly Type: 'bind';
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
  readonly BindOptions: { readonly Propagation: 'rprivate' };
}

/** A folder or file of this machine in a container. */
export function bind(source: string, target: string, writable: boolean): Bind {
  return {
    Type: 'bind',
    Source: source,
    Target: target,
    ReadOnly: !writable,
    BindOptions: { Propagation: 'rprivate' },
  };
}

/** Variables that every container starts with, besides those of its image. */
function baseEnvironment(cpus: number): Record<string, string> {
  // By default numerical libraries start a thread per core of the machine.
  const threads = String(Math.max(1, Math.floor(cpus)));
  return { HOME: '/tmp', OMP_NUM_THREADS: threads, OPENBLAS_NUM_THREADS: threads, MKL_NUM_THREADS: threads };
}
