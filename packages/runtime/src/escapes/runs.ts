import { statSync } from 'node:fs';
import type { Limits } from '../types.ts';
import { allRefused, atMost, besideResult, diskBound, endedBy, offersOnly } from './judging.ts';
import type { HostileRun, Seen } from './types.ts';

const MiB = 2 ** 20;

/** The limits of every hostile program, unless it sets its own. */
export const LIMITS: Limits = {
  memoryBytes: 192 * MiB,
  cpus: 1,
  processes: 64,
  runTimeMs: 30_000,
  tmpBytes: 32 * MiB,
  fileBytes: 16 * MiB,
  outputBytes: 32 * MiB,
  outputFiles: 100,
  resultBytes: 4 * MiB,
  logBytes: MiB / 4,
};

/** Programs that try to see or to change what belongs to others. */
const REACHING: HostileRun[] = [
  { name: 'host_files', tries: 'read files of the machine, by many ways' },
  { name: 'host_writes', tries: 'write outside of /tmp and /var/runtime/output' },
  { name: 'other_executions', tries: 'read memory, files and ports of an execution that runs meanwhile' },
  { name: 'platform_environment', tries: 'find secrets of the platform in environments and command lines' },
  { name: 'descriptors', tries: 'leave through inherited file descriptors' },
  { name: 'platform_sockets', tries: 'connect to the database and to the platform' },
  { name: 'container_socket', tries: 'connect to container engines and what manages them' },
  { name: 'cloud_metadata', tries: 'reach the metadata service of a cloud' },
  { name: 'network', tries: 'reach the internet, this network and this machine' },
  {
    name: 'egress',
    tries: 'reach other hosts, and this machine, through the proxy to the hosts that it declares',
    hosts: ({ port }) => [`localhost:${port}`, `127.0.0.1:${port}`],
  },
  { name: 'low_ports', tries: 'listen on ports below 1024' },
  { name: 'raw_sockets', tries: 'open raw, packet, netlink and VSOCK sockets' },
  {
    name: 'shared_locks',
    tries: 'see the locks of another execution on files and devices that both have',
    judge: unlocked,
  },
  { name: 'watches_others', tries: 'watch shared files and values of the whole machine for what others do' },
  { name: 'proc_of_others', tries: 'look at other processes and at the kernel through /proc' },
];

/** Programs that try to gain power over the kernel. */
const KERNEL: HostileRun[] = [
  { name: 'ptrace', tries: 'trace processes and read their memory' },
  { name: 'signals', tries: 'signal processes of the machine' },
  { name: 'namespaces', tries: 'make and enter namespaces' },
  { name: 'mounts', tries: 'mount, unmount and change the root' },
  { name: 'keyrings', tries: 'use keyrings of the kernel' },
  { name: 'privileges', tries: 'become root: setuid, capabilities, setuid programs', judge: unprivileged },
  { name: 'kernel_surface', tries: 'use BPF, io_uring, perf, modules, kexec, foreign ABIs' },
  { name: 'clock', tries: 'travel in time by setting the clock' },
  { name: 'priorities', tries: 'raise its priority and its limits' },
];

/** Programs that leave something behind. */
const LEAVING: HostileRun[] = [
  { name: 'output_symlinks', tries: 'leave symbolic links as result files', judge: offersOnly('honest.txt') },
  { name: 'output_hard_links', tries: 'leave hard links as result files', judge: offersOnly('honest.txt') },
  { name: 'output_devices', tries: 'make and open device files', judge: offersOnly('honest.txt') },
  { name: 'output_names', tries: 'leave names, modes and depths that confuse who collects', judge: plainNames },
  { name: 'children_live_on', tries: 'end while its children live on' },
  { name: 'ignores_signals', tries: 'go on when it is cancelled', cancelled: true, judge: cancelled },
  { name: 'core_dump', tries: 'leave its memory in a core dump' },
  { name: 'forged_result', tries: 'forge a result of its own', judge: failed },
  {
    name: 'loader_variables',
    tries: 'load code by LD_PRELOAD and variables of Python',
    environment: {
      LD_PRELOAD: '/app/src/evil.so',
      LD_AUDIT: '/app/src/evil.so',
      PYTHONPATH: '/app/evil',
      PYTHONSTARTUP: '/app/evil/sitecustomize.py',
      ENV: '/app/evil/profile',
    },
  },
];

/**
 * Milliseconds of processor time for the runner. The hostile result of 63 MiB takes 0.5 s to check; building its
 * objects would take more than 20 minutes.
 */
const MOST_RUNNER_MS = 20_000;

/** Programs whose end is expensive to process, or crashes the process that does it. */
const ENDING: HostileRun[] = [
  { name: 'deep_cause', tries: 'hand over a cause too deep to be recorded', judge: failed },
  {
    name: 'costly_result',
    tries: 'hand over a result that takes minutes to check',
    limits: { resultBytes: 64 * MiB, fileBytes: 64 * MiB, outputBytes: 64 * MiB },
    judge: cheapResult,
  },
];

/** Programs that fill a resource. */
const FILLING: HostileRun[] = [
  { name: 'huge_files', tries: 'make one huge file, sparse, reserved and written' },
  { name: 'sparse_files', tries: 'offer more bytes than it may with sparse files', judge: offersWithinLimit },
  // A busy machine takes longer than 30 s to make enough files for their limit.
  { name: 'million_files', tries: 'make a million files', limits: { runTimeMs: 180_000 }, judge: endedSmall },
  { name: 'temporary_files', tries: 'fill /tmp', limits: { memoryBytes: 64 * MiB }, judge: refusedOrOutOfMemory },
  { name: 'disk_fill', tries: 'fill the disk with many files', judge: endedSmall },
  { name: 'unlinked_files', tries: 'fill the disk with files that have no name', judge: endedHolding },
  {
    name: 'image_folders',
    tries: 'fill the disk through a folder that its image made writable',
    judge: refusedOrEnded,
  },
  { name: 'files_in_flight', tries: 'fill the disk with files on their way through sockets', judge: endedHolding },
  { name: 'full_queues', tries: 'fill pipes and the queues of sockets', judge: refusedOrOutOfMemory },
  { name: 'log_flood', tries: 'flood the log', judge: boundedLog },
  { name: 'fork_bomb', tries: 'start processes without end', limits: { runTimeMs: 1_000 }, judge: endedBy('Run time limit exceeded') },
  { name: 'thread_bomb', tries: 'start threads without end' },
  { name: 'memory_fill', tries: 'fill the memory with many processes', judge: refusedOrOutOfMemory },
  { name: 'memory_files', tries: 'fill the memory with files in it', judge: endedBy('Memory limit exceeded') },
]; // prettier-ignore

export const HOSTILE_RUNS: readonly HostileRun[] = [...REACHING, ...KERNEL, ...LEAVING, ...ENDING, ...FILLING];

function unprivileged(seen: Seen): string[] {
  const status = (seen.report?.seen ?? {}) as Record<string, string>;
  const faults = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']
    .filter((name) => Number.parseInt(status[name] ?? '1', 16) !== 0)
    .map((name) => `${name} is ${status[name]}`);
  if (status['NoNewPrivs'] !== '1') faults.push('it may get new privileges');
  if (status['Seccomp'] !== '2') faults.push('there is no system-call filter');
  if (/(^|\s)0(\s|$)/.test(`${status['Uid']} ${status['Gid']} ${status['Groups']}`)) faults.push('it is root');
  return [...allRefused(seen), ...faults];
}

function plainNames({ end }: Seen): string[] {
  const faults = end.files
    .filter(({ name }) => /[\p{Cc}/\\‪-‮]/u.test(name) || ['self', 'status'].includes(name))
    .map(({ name }) => `${JSON.stringify(name)} is offered`);
  const rights = end.files.filter(({ path }) => (statSync(path).mode & 0o7177) !== 0);
  return [...faults, ...rights.map(({ name }) => `${JSON.stringify(name)} keeps its rights`)];
}

function cancelled({ end }: Seen): string[] {
  return end.outcome === 'CANCELLED' ? [] : [`it ended as ${end.outcome}`];
}

function failed({ end }: Seen): string[] {
  return end.outcome === 'FAILED' && end.result === null ? [] : [`it ended as ${end.outcome}`];
}

function cheapResult({ end, runnerMs }: Seen): string[] {
  return [
    ...(end.outcome === 'SUCCEEDED' ? [] : [`it ended as ${end.outcome} ${JSON.stringify(end.cause)}`]),
    ...atMost('milliseconds of the processor that the runner took', runnerMs, MOST_RUNNER_MS),
  ];
}

function offersWithinLimit(seen: Seen, limits: Limits): string[] {
  const bytes = besideResult(seen).reduce((sum, file) => sum + file.bytes, 0);
  return [...endedBy('Output limit exceeded')(seen), ...atMost('bytes offered', bytes, limits.outputBytes)];
}

function endedSmall(seen: Seen, limits: Limits): string[] {
  const bound = diskBound(limits);
  return [
    ...endedBy('Output limit exceeded', 'Memory limit exceeded')(seen),
    ...atMost('bytes on the disk', seen.left.bytes, bound.bytes),
    ...atMost('files on the disk', seen.left.entries, bound.entries),
  ];
}

/** Expects a refusal in a sandbox, which has no such folder, and a limit in a container. */
function refusedOrEnded(seen: Seen): string[] {
  return seen.report === null ? endedBy('Output limit exceeded')(seen) : allRefused(seen);
}

/** Judges by the program's log how much it wrote: files without a name are gone with the program. */
function endedHolding(seen: Seen, limits: Limits): string[] {
  const written = seen.log.map(({ message }) => Number(/^holds (\d+)$/.exec(message)?.[1] ?? 0));
  return [
    ...endedBy('Output limit exceeded')(seen),
    ...(written.length === 0 ? ['it has written nothing'] : []),
    ...atMost('bytes without a name', Math.max(0, ...written), diskBound(limits).bytes),
  ];
}

/** Skipped without root: only root can give each sandbox a view of its own. */
function unlocked(seen: Seen): string[] {
  return process.getuid?.() === 0 ? allRefused(seen) : [];
}

/** Expects refusals or the memory limit: files in memory count as memory. */
function refusedOrOutOfMemory(seen: Seen): string[] {
  return seen.report === null ? endedBy('Memory limit exceeded')(seen) : allRefused(seen);
}

function boundedLog(seen: Seen, limits: Limits): string[] {
  const marked = seen.log.at(-1)?.message.includes('has reached its limit') === true;
  return [
    ...allRefused(seen),
    ...atMost('bytes of log', seen.end.logBytes, limits.logBytes + 1_000),
    ...(marked ? [] : ['the log does not say that it was cut']),
  ];
}
