import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { jobProgram, SlurmRuntime } from '@kethub/runtime/slurm';
import { LIMITS, openBench, type Bench } from '@kethub/runtime/testing/bench';
import { NAMESPACE, openCluster, settingsFor } from '@kethub/runtime/testing/cluster';
import { PYTHON } from '../../script/kubernetes/images.ts';
import type { Cluster } from '../../script/kubernetes.ts';
import { slurmTools, startSlurm, type Slurm } from '../../script/slurm.ts';
import { ensureTools } from '../../script/system-tools.ts';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 15);
/** Executions at the same time. */
const TOGETHER = Number(process.env['TOGETHER'] ?? 200);
const LINE = 'print(sum(range(1000)))';
const PROGRAM = `def run():\n    ${LINE}\n    return 1`;
/** Half a processor for one at a time, as for the bare job: with less, both would wait for their share alone. */
const ALONE = { limits: { ...LIMITS, cpus: 0.5, memoryBytes: 64 * 2 ** 20 } };
/** Little of everything, so that a small machine takes many at once. */
const SMALL = { limits: { ...LIMITS, cpus: 0.01, memoryBytes: 64 * 2 ** 20 } };
const run = promisify(execFile);

/** An execution as a job of Kubernetes against the same line of Python in a job made by hand; many at the same time. */
export async function kubernetes(): Promise<Measurement[]> {
  const cluster = await openCluster();
  try {
    const bench = await openBench({ kubernetes: await settingsFor(cluster) });
    const measured = await measure('Kubernetes', bench, (round) => bareJob(cluster, round));
    await bench.close();
    return measured;
  } finally {
    await cluster.stop();
  }
}

/** The same as a batch job of Slurm against a batch job that was submitted by hand. */
export async function slurm(): Promise<Measurement[]> {
  ensureTools(slurmTools, () => undefined);
  const engine = await startSlurm();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  chmodSync(folder, 0o777);
  try {
    const bench = await openBench(
      {},
      (dataDir) => chmodSync(dataDir, 0o755),
      (local, dataDir) =>
        new SlurmRuntime(local, {
          folder: path.join(dataDir, 'jobs'),
          command: [process.execPath, jobProgram],
          uid: engine.uid,
          options: [],
          staging: null,
          rest: null,
          configuration: engine.configuration,
          prefix: 'kethub-bench-',
          warn: (line) => process.stderr.write(`${line}\n`),
        }),
    );
    const measured = await measure('Slurm', bench, () => bareBatch(engine, folder));
    await bench.close();
    return measured;
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(engine: string, bench: Bench, bare: (round: number) => Promise<void>): Promise<Measurement[]> {
  const code = bench.service(PROGRAM);
  const succeed = async (order = ALONE): Promise<void> => {
    const end = await bench.run(code, order);
    if (end.outcome !== 'SUCCEEDED') throw new Error(`The execution is ${end.outcome}: ${JSON.stringify(end.cause)}`);
  };
  const rounds = { bare: [] as number[], driver: [] as number[], ratio: [] as number[] };
  for (let round = -1; round < ROUNDS; round++) {
    const alone = await timed(() => bare(round + 1));
    const whole = await timed(() => succeed());
    if (round < 0) continue;
    rounds.bare.push(alone);
    rounds.driver.push(whole);
    rounds.ratio.push(whole / alone);
  }
  const all = await timed(() => Promise.all(Array.from({ length: TOGETHER }, () => succeed(SMALL))));
  const how = `${ROUNDS} rounds in turns on one machine with the whole cluster; one line of Python, from the start to the end with its log`;
  return [
    { name: `Bare job of ${engine}`, unit: 'ms', value: median(rounds.bare), goal: null, how, rounds },
    { name: `Execution as a job of ${engine}`, unit: 'ms', value: median(rounds.driver), goal: null, how, rounds: {} },
    { name: `Execution as a job of ${engine} against the bare job`, unit: '×', value: median(rounds.ratio), goal: { atMost: 1.3 }, how, rounds: {} },
    { name: `${TOGETHER} executions at once as jobs of ${engine}`, unit: '/s', value: (TOGETHER / all) * 1_000, goal: null, how: 'all started together, until the last has ended; one node of two cores', rounds: {} },
  ]; // prettier-ignore
}

async function timed(what: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await what();
  return performance.now() - began;
}

/** A job with the same line in the same image, from its creation until the cluster says that it is complete. */
async function bareJob(cluster: Cluster, round: number): Promise<void> {
  const name = `bare-${round}`;
  const jobs = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const resources = { requests: { memory: '64Mi', cpu: '500m' }, limits: { memory: '64Mi', cpu: '500m' } };
  const pod = {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    securityContext: { runAsUser: 1000, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      { name: 'program', image: PYTHON, command: ['python3', '-I', '-S', '-c', LINE], securityContext, resources },
    ],
  };
  const { status, body } = await cluster.ask('POST', jobs, {
    metadata: { name },
    spec: { backoffLimit: 0, template: { spec: pod } },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  for (;;) {
    const { status: state } = (await cluster.ask('GET', `${jobs}/${name}`)).body as {
      status?: { succeeded?: number; failed?: number };
    };
    if (state?.failed) throw new Error('The bare job has failed');
    if (state?.succeeded) break;
    await pause(20);
  }
  await cluster.ask('DELETE', `${jobs}/${name}?propagationPolicy=Background`);
}

/** A batch script with the same line; `--wait` ends with the job. */
async function bareBatch({ configuration, uid }: Slurm, folder: string): Promise<void> {
  const script = path.join(folder, 'bare');
  writeFileSync(script, `#!/bin/sh\nexec /usr/bin/python3 -I -S -c '${LINE}'\n`, { mode: 0o755 });
  const options = [
    '--wait',
    `--uid=${uid}`,
    `--chdir=${folder}`,
    '--output=/dev/null',
    '--mem=64M',
    '--ntasks=1',
    '--export=NONE',
  ];
  await run('sbatch', [...options, script], { env: { PATH: process.env['PATH'], SLURM_CONF: configuration } });
}
