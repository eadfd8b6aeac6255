import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { randomBytes, randomInt } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { startAccounting, type Accounting } from './slurm/accounting.ts';
import type { Tool } from './system-tools.ts';

/** Slurm's controller, daemon of nodes and command line, and MUNGE, by which they know each other. */
export const slurmTools: readonly Tool[] = [
  { what: 'the controller of Slurm', package: 'slurmctld', isThere: () => existsSync('/usr/sbin/slurmctld') },
  { what: 'the node daemon of Slurm', package: 'slurmd', isThere: () => existsSync('/usr/sbin/slurmd') },
  { what: 'the command line of Slurm', package: 'slurm-client', isThere: () => existsSync('/usr/bin/sbatch') },
  { what: 'the REST interface of Slurm', package: 'slurmrestd', isThere: () => existsSync('/usr/sbin/slurmrestd') },
  {
    what: 'tokens of Slurm',
    package: 'slurm-wlm-jwt-plugin',
    isThere: () => existsSync('/usr/lib/x86_64-linux-gnu/slurm-wlm/auth_jwt.so'),
  },
  { what: 'MUNGE', package: 'munge', isThere: () => existsSync('/usr/sbin/munged') },
];

/** User that jobs run as. */
const USER = 'kethub-jobs';

export interface Slurm {
  /** Path of its slurm.conf. */
  readonly configuration: string;
  /** User id for jobs. */
  readonly uid: number;
  /** Address of its REST interface, and a file with a token of that user. */
  readonly rest: { readonly url: string; readonly tokenFile: string };
  /** Stops the controller; running jobs go on. */
  stopController(signal?: NodeJS.Signals): Promise<void>;
  startController(): void;
  /** Kills the daemon of a node, `node1` or `node2`; its running jobs go on. */
  killNode(name: string): Promise<void>;
  startNode(name: string): void;
  /** Kills the REST interface; the controller and jobs go on. */
  killRest(): Promise<void>;
  startRest(): Promise<void>;
  stop(): Promise<void>;
}

/** Name of each cluster. */
export const CLUSTER = 'kethub';

export interface SlurmOptions {
  /** True for a cluster with accounts, which needs the tools of `slurm/accounting.ts`. */
  readonly withAccounting?: boolean;
  /** Seconds for which the controller knows a job that has ended. */
  readonly minJobAge?: number;
  /** Seconds after which a node that does not answer counts as failed. */
  readonly nodeTimeout?: number;
}

/**
 * Starts a Slurm of two nodes on this machine, beside any other. It has a controller, two node daemons and MUNGE, on
 * free ports and below one folder. Needs root.
 */
export async function startSlurm({
  withAccounting = false,
  minJobAge = 300,
  nodeTimeout = 300,
}: SlurmOptions = {}): Promise<Slurm> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-slurm-'));
  chmodSync(folder, 0o755);
  const at = (name: string): string => path.join(folder, name);
  for (const name of ['state', 'node1', 'node2', 'log', 'run', 'munge']) mkdirSync(at(name), { mode: 0o755 });
  writeFileSync(at('munge.key'), randomBytes(1_024), { mode: 0o600 });
  execFileSync('chown', ['-R', 'munge', at('munge.key'), at('munge')]);
  execFileSync('runuser', ['-u', 'munge', '--', '/usr/sbin/munged', `--key-file=${at('munge.key')}`, `--socket=${at('munge/socket')}`, `--pid-file=${at('munge/pid')}`, `--log-file=${at('munge/log')}`, `--seed-file=${at('munge/seed')}`, '--force'], { stdio: 'ignore' }); // prettier-ignore
  const configuration = at('slurm.conf');
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  writeFileSync(at('jwt.key'), randomBytes(32), { mode: 0o600 });
  const accounting = withAccounting ? await startAccounting(folder, at('munge/socket'), CLUSTER) : null;
  writeFileSync(configuration, settings(folder, ports, accounting, { minJobAge, nodeTimeout }));
  const kind = existsSync('/sys/fs/cgroup/memory') ? 'cgroup/v1' : 'cgroup/v2';
  writeFileSync(at('gres.conf'), 'NodeName=node1 Name=gpu File=/dev/null\n');
  writeFileSync(at('cgroup.conf'), `CgroupPlugin=${kind}\nConstrainRAMSpace=yes\nConstrainCores=no\n`);
  const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SLURM_CONF: configuration };
  const controller = (): void =>
    void execFileSync('/usr/sbin/slurmctld', ['-f', configuration], { env: environment, stdio: 'ignore' });
  controller();
  const startNode = (name: string): void =>
    void execFileSync('/usr/sbin/slurmd', ['-f', configuration, '-N', name], { env: environment, stdio: 'ignore' });
  for (const name of ['node1', 'node2']) startNode(name);
  // One at a time: of two that add a user at once, the later one gives it another number.
  execFileSync('flock', ['/etc', 'sh', '-c', `id ${USER} > /dev/null 2>&1 || useradd --system --no-create-home --home-dir / --shell /usr/sbin/nologin ${USER}`]); // prettier-ignore
  const user = Number(execFileSync('id', ['-u', USER], { encoding: 'utf8' }));
  const rest = { url: `http://127.0.0.1:${ports[3]}`, tokenFile: at('token') };
  let restServer: ChildProcess | null = null;
  const slurm: Slurm = {
    configuration,
    uid: user,
    rest,
    stopController: (signal) => end(at('run/controller.pid'), signal),
    startController: controller,
    killNode: (name) => end(at(`run/${name}.pid`), 'SIGKILL'),
    startNode,
    async killRest() {
      const ended = restServer === null ? null : once(restServer, 'exit');
      restServer?.kill('SIGKILL');
      await ended;
      restServer = null;
    },
    async startRest() {
      restServer = await startRest(environment, user, rest, accounting !== null);
    },
    async stop() {
      restServer?.kill();
      for (const name of ['run/node1.pid', 'run/node2.pid', 'run/controller.pid']) await end(at(name));
      await accounting?.stop();
      await end(at('munge/pid'));
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
  for (let attempt = 0; ; attempt++) {
    const idle = spawnSync('sinfo', ['--noheader', '--format=%T %D'], { env: environment, encoding: 'utf8' });
    if (/^idle 2$/m.test(idle.stdout)) {
      try {
        await slurm.startRest();
      } catch (error) {
        await slurm.stop();
        throw error;
      }
      return slurm;
    }
    if (attempt < 300) await pause(100);
    else {
      const log = readFileSync(at('log/controller'), 'utf8').slice(-2_000);
      await slurm.stop();
      throw new Error(`Slurm does not start: ${idle.stdout}${idle.stderr}\n${log}`);
    }
  }
}

/** Starts the REST interface as the user of the jobs, which must not be root. */
async function startRest(
  environment: Record<string, string>,
  uid: number,
  { url, tokenFile }: Slurm['rest'],
  withAccounting: boolean,
): Promise<ChildProcess> {
  const said = execFileSync('scontrol', ['token', `username=${USER}`, 'lifespan=7200'], { env: environment, encoding: 'utf8' }); // prettier-ignore
  writeFileSync(tokenFile, said.replace(/^SLURM_JWT=/, ''), { mode: 0o600 });
  const server = spawn(
    '/usr/sbin/slurmrestd',
    [
      '-s',
      `openapi/v0.0.38${withAccounting ? ',openapi/dbv0.0.38' : ''}`,
      '-a',
      'rest_auth/jwt',
      url.replace('http://', ''),
    ],
    {
      env: { ...environment, SLURM_JWT: 'daemon', SLURMRESTD_SECURITY: 'disable_unshare_sysv,disable_unshare_files' },
      cwd: '/',
      uid,
      gid: uid,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (log = `${log}${text}`.slice(-2_000)));
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await fetch(`${url}/slurm/v0.0.38/ping`).catch(() => null)) return server;
    if (server.exitCode !== null) break;
    await pause(100);
  }
  server.kill();
  throw new Error(`slurmrestd does not start: ${log}`);
}

async function end(pidFile: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (pid <= 1) return;
  try {
    process.kill(pid, signal);
    for (let attempt = 0; attempt < 100; attempt++) {
      process.kill(pid, 0);
      await pause(100);
    }
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The numbers of jobs begin anywhere: two clusters with the same ones would share the cgroups of their jobs. */
function settings(
  folder: string,
  [controller, node1, node2]: readonly (number | undefined)[],
  accounting: Accounting | null,
  { minJobAge, nodeTimeout }: Required<Omit<SlurmOptions, 'withAccounting'>>,
): string {
  const host = os.hostname().split('.')[0];
  return `ClusterName=${CLUSTER}
SlurmctldHost=${host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=${folder}/munge/socket
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=${folder}/jwt.key
GresTypes=gpu
Licenses=cplex:2
CredType=cred/munge
SlurmUser=root
SlurmctldPort=${controller}
StateSaveLocation=${folder}/state
SlurmctldPidFile=${folder}/run/controller.pid
SlurmdPidFile=${folder}/run/%n.pid
SlurmdSpoolDir=${folder}/%n
SlurmctldLogFile=${folder}/log/controller
SlurmdLogFile=${folder}/log/%n
ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
JobAcctGatherType=jobacct_gather/cgroup
${accounting?.settings ?? 'AccountingStorageType=accounting_storage/none\n'}SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=sched_min_interval=10000,batch_sched_delay=0
ReturnToService=2
MpiDefault=none
MinJobAge=${minJobAge}
SlurmdTimeout=${nodeTimeout}
FirstJobId=${randomInt(1_000, 50_000_000)}
KillWait=5
SwitchType=switch/none
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
NodeName=node1 NodeHostname=${host} NodeAddr=127.0.0.1 Port=${node1} CPUs=2 RealMemory=4000 Gres=gpu:1 State=UNKNOWN
NodeName=node2 NodeHostname=${host} NodeAddr=127.0.0.1 Port=${node2} CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes=node1,node2 Default=YES PriorityTier=1 MaxTime=INFINITE State=UP
PartitionName=spare Nodes=node1,node2 PriorityTier=1 PreemptMode=CANCEL MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=node1,node2 PriorityTier=2 PreemptMode=OFF MaxTime=INFINITE State=UP
PartitionName=closed Nodes=node1,node2 MaxTime=INFINITE State=DOWN
`;
}
