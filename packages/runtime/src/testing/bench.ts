import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  connectRuntime,
  type Code,
  type ContainerImage,
  type ExecutionEnd,
  type ExecutionJob,
  type Limits,
  type LogLine,
} from '../index.ts';
import { runnerPathsIn } from '../paths.ts';
import { keepRoots, lendRoots } from './lent-root.ts';
import { NOT_STARTED } from '../runner/waiting-notice.ts';
import type { Runtime, RuntimeOptions } from '../index.ts';

export const MiB = 1024 * 1024;

export const LIMITS: Limits = {
  memoryBytes: 256 * MiB,
  cpus: 1,
  processes: 64,
  runTimeMs: 60_000,
  tmpBytes: 64 * MiB,
  fileBytes: 64 * MiB,
  outputBytes: 64 * MiB,
  outputFiles: 100,
  resultBytes: MiB,
  logBytes: MiB,
};

export type Order = Partial<Omit<ExecutionJob, 'limits' | 'input' | 'code'>> & {
  code?: Code;
  limits?: Partial<Limits>;
  input?: unknown;
};

/** The text of `src/program.py`, or existing code. */
export type Program = string | Code | ContainerImage;

/** A data folder with a runner of its own, for tests. */
export interface Bench {
  dataDir: string;
  runtime: Runtime;
  /** Writes a service whose src/program.py has this text. */
  service(program: string, imports?: string[]): Code;
  job(program: string | Code, order?: Order): ExecutionJob & { code: Code };
  /** Makes a job for any kind of program. */
  jobOf(program: Program, order?: Order): ExecutionJob;
  /** Starts an execution and waits for its end. */
  run(program: Program, order?: Order): Promise<ExecutionEnd>;
  /**
   * The value that a program returned.
   * @throws with the cause when it did not succeed.
   */
  result(program: Program, order?: Order): Promise<unknown>;
  ended(executionId: string): Promise<ExecutionEnd>;
  /** Starts an execution and waits until its log contains this text. */
  startedWith(text: string, program: Program, order?: Order): Promise<ExecutionJob>;
  log(executionId: string): Promise<LogLine[]>;
  /** Opens another connection to the same folder, as a restarted platform does. */
  again(options?: Partial<RuntimeOptions>): Promise<Runtime>;
  /** Ends everything, and throws when anything is left behind. */
  close(): Promise<void>;
}

const NO_CODE: Code = { sourceDir: '/', layerDir: null, imports: [] };

/** @param wrap makes the runtime of another driver of a connection to the runner. */
export async function openBench(
  options: Partial<RuntimeOptions> = {},
  before: (dataDir: string) => void = () => undefined,
  wrap: (runtime: Runtime, dataDir: string) => Runtime | Promise<Runtime> = (runtime) => runtime,
): Promise<Bench> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kethub-bench-'));
  lendRoots(dataDir);
  before(dataDir);
  const defaults = { dataDir, idleExitMs: 500, cancelGraceMs: 400, warmBytes: 0 };
  const runtime = await wrap(await connectRuntime({ ...defaults, ...options }), dataDir);
  const others: Runtime[] = [];
  const orphansBefore = new Set(orphans()); // of other programs: Flatpak uses bubblewrap too
  const runners = new Set<number>([(await runtime.status()).runnerPid]);
  let services = 0;
  const bench: Bench = {
    dataDir,
    runtime,
    service(program, imports = []) {
      const sourceDir = join(dataDir, 'runtime', 'code', String(++services));
      mkdirSync(join(sourceDir, 'src'), { recursive: true });
      writeFileSync(join(sourceDir, 'src', 'program.py'), program);
      return { sourceDir, layerDir: null, imports };
    },
    job(program, { limits, input, ...order } = {}) {
      return {
        executionId: randomUUID(),
        code: typeof program === 'string' ? bench.service(program) : program,
        input: JSON.stringify(input ?? {}),
        secrets: {},
        environment: {},
        dataPools: [],
        limits: { ...LIMITS, ...limits },
        ...order,
      };
    },
    jobOf(program, order) {
      if (typeof program === 'string' || !('image' in program)) return bench.job(program, order);
      return { ...bench.job(NO_CODE, order), code: program };
    },
    async run(program, order) {
      const job = bench.jobOf(program, order);
      const [end] = await Promise.all([bench.ended(job.executionId), runtime.start(job)]);
      return end;
    },
    async result(program, order) {
      const end = await bench.run(program, order);
      if (end.result === null) throw new Error(`${end.outcome}: ${JSON.stringify(end.cause)}`);
      return resultOf(end);
    },
    async ended(executionId) {
      return new Promise((resolve) => {
        const stop = runtime.onEnded((end) => {
          if (end.executionId !== executionId) return;
          stop();
          resolve(end);
        });
      });
    },
    async startedWith(text, program, order) {
      const job = bench.jobOf(program, order);
      const seen = new Promise<void>((resolve) => {
        const stop = runtime.onLog((executionId) => {
          if (executionId !== job.executionId) return;
          void bench.log(executionId).then((lines) => {
            if (!lines.some((line) => line.message.includes(text))) return;
            stop();
            resolve();
          });
        });
      });
      await Promise.all([runtime.start(job), seen]);
      return job;
    },
    async log(executionId) {
      const parts: Buffer[] = [];
      for (let position = 0; ;) {
        const { bytes, nextByte } = await runtime.readLog(executionId, position);
        if (bytes.length === 0) break;
        parts.push(bytes);
        position = nextByte;
      }
      const lines = Buffer.concat(parts).toString('utf8').split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as LogLine);
    },
    async again(more = {}) {
      const other = await wrap(await connectRuntime({ ...defaults, ...options, ...more }), dataDir);
      others.push(other);
      return other;
    },
    async close() {
      const last = await connectRuntime({ ...defaults, ...options }); // a test may have closed the first
      for (const other of [...others, runtime]) await other.close();
      const { runnerPid, running } = await last.status();
      runners.add(runnerPid);
      for (const { executionId } of running) await last.cancel(executionId);
      await until('nothing runs', async () => (await last.status()).running.length === 0);
      await last.close();
      await leftNothing(dataDir, [...runners], orphansBefore);
      keepRoots(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return bench;
}

/**
 * A log from its first line that says more than why the program waits: a cluster that others use explains that. A later
 * notice of this kind stays in it, since none may come.
 */
export function afterWaiting(log: readonly LogLine[]): readonly LogLine[] {
  const first = log.findIndex(({ message }) => !message.startsWith(NOT_STARTED));
  return first < 0 ? [] : log.slice(first);
}

export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // no such process
  }
}

/** Half-made sandboxes whose runner is gone. */
function orphans(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .filter((pid) => /^bwrap\) \S 1 /.test(fileOrNothing(`/proc/${pid}/stat`).split('(')[1] ?? ''))
    .map((pid) => `process ${pid}`);
}

/**
 * Returns whether a sandbox belongs to another test, according to its cgroups, or is just ending. Other tests kill
 * theirs at the same time.
 */
function isOfAnother(orphan: string, mark: string): boolean {
  const pid = orphan.replace('process ', '');
  const cgroups = fileOrNothing(`/proc/${pid}/cgroup`);
  return !isAlive(Number(pid)) || (/kethub-[0-9a-f]{12}/.test(cgroups) && !cgroups.includes(mark));
}

function fileOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // the process has ended meanwhile
  }
}

/** Waits for a change that another process makes. Fails with `what` after 30 seconds. */
export async function until(what: string | (() => string), isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 3_000; attempt++) {
    if (await isSo()) return;
    await pause(10);
  }
  throw new Error(`It never came true: ${typeof what === 'string' ? what : what()}`);
}

/** Checks that a runner of this folder has left nothing on the machine. */
async function leftNothing(dataDir: string, runners: number[], orphansBefore: Set<string>): Promise<void> {
  const runtimeDir = realpathSync(join(dataDir, 'runtime'));
  const { mark } = runnerPathsIn(runtimeDir);
  await until('the runner has ended', () => runners.every((pid) => !isAlive(pid)));
  const cgroups = ['', 'memory', 'cpu', 'cpuacct', 'devices', 'pids', 'unified'].flatMap((name) =>
    ['', '-containers'].map((part) => join('/sys/fs/cgroup', name, `kethub-${mark}${part}`)),
  );
  let left: string[] = [];
  // The kernel ends a sandbox after its runner, which takes a while on a busy machine.
  await until(
    () => `the runner has left nothing behind, but ${left.join(', ')}`,
    () => {
      left = [...cgroups, `/run/kethub/${mark}`].filter((path) => existsSync(path));
      left.push(...readdirSync(runtimeDir).filter((name) => name === 'work' || name === 'proxies'));
      if (readFileSync('/proc/mounts', 'utf8').includes(runtimeDir)) left.push('a mount');
      left.push(...orphans().filter((orphan) => !orphansBefore.has(orphan) && !isOfAnother(orphan, mark)));
      return left.length === 0;
    },
  );
}

/** The result of an execution, within its end or in a file; null when it has none. */
export function resultOf({ result }: Pick<ExecutionEnd, 'result'>): unknown {
  return result === null ? null : JSON.parse(result.text ?? readFileSync(result.path, 'utf8'));
}
