/**
 * The runner of one data folder: `node main.ts {"runtimeDir": ..., "mountPoint": ..., "version": ...}`. `node main.ts
 * compile` only fills the cache of compiled code. The platform starts it ({@link ../client/start-runner.ts}) in a
 * session of its own, so that it outlives the platform's process.
 */
import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { runnerPathsIn } from '../paths.ts';
import type { Settings } from '../protocol/messages.ts';
import { RuntimeUnavailable } from '../types.ts';
import { messageOf } from '../errors.ts';
import { Containers } from '../containers/containers.ts';
import { Kubernetes } from '../kubernetes/kubernetes.ts';
import { Commands } from './commands.ts';
import { Executions } from './executions.ts';
import { prepareRunnerContext, removeMountPoint } from './context.ts';
import { takeLock } from './lock.ts';
import { boundOwnLog } from './own-log.ts';
import { listen, type Handlers, type SocketServer } from './server.ts';
import { PrestartedSandboxes } from './prestarted-sandboxes.ts';
import { WarmPool } from './warm-pool.ts';

if (process.argv[2] === 'compile') process.exit(0);
const { runtimeDir, mountPoint, version } = JSON.parse(process.argv[2] ?? '') as {
  runtimeDir: string;
  mountPoint: string | null;
  version: string;
};
process.umask(0o022); // other users must pass through folders of sandboxes; secret files have their own mode
const paths = runnerPathsIn(runtimeDir);
const lock = takeLock(paths.lock);
if (lock === null) process.exit(0); // another runner has this folder; the platform will find that one
boundOwnLog(paths.log);
if (mountPoint !== null && statSync(mountPoint, { throwIfNoEntry: false })?.ino !== statSync(runtimeDir).ino) {
  console.error('a runner that ended meanwhile took our mount point with it; the platform starts another one');
  process.exit(1);
}

/** Used until a platform sends its settings. */
let settings: Settings = { warmBytes: 0, warmPerCode: 0, warmIdleMs: 300_000, cancelGraceMs: 3_000 };
/** Milliseconds without a platform and without work, after which the runner ends, unless a platform chooses others. */
const IDLE_EXIT_MS = 10_000;
/** Milliseconds for the clean-up of a leaving runner. Beyond them the next sweep ends the rest. */
const CLEAR_MS = 5_000;
let retiring = false;
let leaving = false;
let idleExit: NodeJS.Timeout | null = null;
/** Null until the executions of an earlier runner are known. Platforms that connect later ask for what has ended. */
let server: SocketServer | null = null;

const context = await prepareRunnerContext(paths, mountPoint, version, () => settings.freeBytes ?? null);
const pool = new WarmPool(context, () => settings);
const prestarted = new PrestartedSandboxes(context);
const commands = new Commands(context);
const containers = new Containers(paths, context.proxies);
const kubernetes = new Kubernetes(
  paths,
  () => settings.networks ?? [],
  () => settings.cancelGraceMs,
  () => ({ most: settings.warmPods ?? 0, idleMs: settings.warmPodIdleMs ?? 0 }),
);
const executions = new Executions(context, { pool, prestarted, containers, kubernetes }, () => settings, {
  ended(end) {
    server?.sendAll({ event: 'ended', end });
    considerLeaving();
  },
  log(executionId, bytes) {
    server?.sendAll({ event: 'log', executionId, bytes });
  },
});
await executions.takeOver();

const handlers: Handlers = {
  async configure(params) {
    settings = params.settings;
    context.proxies.allow(settings.networks ?? []);
    containers.use(settings.containers ?? null);
    await kubernetes.use(settings.kubernetes ?? null);
    setImmediate(() => {
      prestarted.fill();
    });
    return null;
  },
  start({ job }, { body }) {
    refuseWhenLeaving();
    return executions.start(job, body);
  },
  cancel({ executionId }) {
    executions.cancel(executionId);
    return null;
  },
  end({ executionId }) {
    executions.end(executionId);
    return null;
  },
  list: () => executions.list(),
  forget({ executionId }) {
    executions.forget(executionId);
    return null;
  },
  async sandboxed({ request }, { body, client, id, onLine }) {
    refuseWhenLeaving();
    const abort = new AbortController();
    client.commands.set(id, abort);
    try {
      return await commands.run(request, body, request.lines ? onLine : () => undefined, abort);
    } finally {
      client.commands.delete(id);
      considerLeaving();
    }
  },
  abort({ target }, { client }) {
    client.commands.get(target)?.abort();
    return null;
  },
  prewarm(spec) {
    if (!kubernetes.isUsed) pool.want({ ...spec, hosts: [] });
    return null;
  },
  endWarmPods({ versions }) {
    kubernetes.warm.endVersions(versions);
    return null;
  },
  async renewRoot() {
    context.renewRoot();
    void kubernetes.warm.clear();
    await pool.clear(false);
    return null;
  },
  status: () => ({
    root: context.root.own,
    runnerPid: process.pid,
    version,
    running: executions.running(),
    warm: pool.list(),
    warmPods: kubernetes.warm.list(),
    commands: commands.count,
    limitedBy: context.limitedBy,
    clusterAway: kubernetes.away,
    leftAlone: kubernetes.leftAlone ?? containers.leftAlone,
  }),
  async close(_params, { client }) {
    const others = [...(server?.clients ?? [])].some((other) => other !== client);
    if (others) return { exits: false };
    void kubernetes.warm.clear();
    await pool.clear(false);
    const exits = isIdle();
    if (exits) setImmediate(() => void leave());
    return { exits };
  },
  async retire() {
    retiring = true;
    void kubernetes.warm.clear(true);
    await pool.clear(true);
    considerLeaving();
    return null;
  },
};

server = await listen(paths, version, handlers, considerLeaving);
process.on('SIGTERM', () => {
  executions.abandonAll(); // the machine stops; the next runner reports these executions as LOST
  void leave();
});
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
console.error(`${new Date().toISOString()} runner ${version} began, limits by ${context.limitedBy}`);
considerLeaving();

function isIdle(): boolean {
  return executions.count === 0 && commands.count === 0;
}

/** Leaves when there is no work and either no platform is connected or the runner is retiring. */
function considerLeaving(): void {
  if (server === null) return;
  const alone = server.clients.size === 0;
  if (idleExit !== null) clearTimeout(idleExit);
  idleExit = null;
  if (!isIdle()) return;
  if (retiring) setImmediate(() => void (isIdle() && leave()));
  else if (alone)
    idleExit = setTimeout(
      () => void (isIdle() && server?.clients.size === 0 && leave()),
      settings.idleExitMs ?? IDLE_EXIT_MS,
    );
}

function refuseWhenLeaving(): void {
  if (leaving) throw new RuntimeUnavailable('The runner is ending; ask the next one.');
}

async function leave(): Promise<void> {
  if (leaving) return;
  leaving = true;
  // the sweep below ends what is left
  const cleared = [pool.clear(true), prestarted.clear(), executions.released(), kubernetes.warm.clear(true)];
  await Promise.race([Promise.all(cleared), pause(CLEAR_MS)]);
  commands.endAll();
  await context.cgroups?.sweep();
  await containers.close().catch((error: unknown) => {
    console.error(`what is around containers could not be removed: ${messageOf(error)}`);
  });
  kubernetes.close();
  await context.close();
  if (mountPoint !== null) removeMountPoint(mountPoint);
  server?.close();
  console.error(`${new Date().toISOString()} runner ${version} ends`);
  process.exit(0);
}
