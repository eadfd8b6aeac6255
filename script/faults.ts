import { parseArgs } from 'node:util';
import { faults } from '../test/faults/faults.ts';
import { runFaults } from '../test/faults/run.ts';
import { containerTools } from './container-engine.ts';
import { kubernetesTools } from './kubernetes.ts';
import { buildKubernetes } from './kubernetes/build.ts';
import { postgresTool } from './postgres.ts';
import { buildS3 } from './s3.ts';
import { slurmTools } from './slurm.ts';
import { ensureTools, runtimeTools, testTools } from './system-tools.ts';

// `npm run faults -- --seed 7 --kills 200 --database postgres --apart --disk 400 --outage 30 --still 60 --engine --s3 --cluster kubernetes --warm-pods 2 --only platform,program`
// kills, suspends or removes parts of an installation under load. Reports what was lost, run twice, stuck or left
// behind. The same seed repeats a run.
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kills: { type: 'string', default: '200' },
    database: { type: 'string', default: 'postgres' },
    apart: { type: 'boolean', default: false },
    disk: { type: 'string' },
    outage: { type: 'string' },
    only: { type: 'string' },
    engine: { type: 'boolean', default: false },
    cluster: { type: 'string' },
    s3: { type: 'boolean', default: false },
    'warm-pods': { type: 'string', default: '0' },
    still: { type: 'string', default: '60' },
  },
});
const [seed, kills, warmPods] = [Number(values.seed), Number(values.kills), Number(values['warm-pods'])];
const diskMb = values.disk === undefined ? null : Number(values.disk);
const stillMs = Number(values.still) * 1000;
const outageMs = values.outage === undefined ? null : Number(values.outage) * 1000;
const { database, apart, cluster = null } = values;
if (database !== 'sqlite' && database !== 'postgres') throw new Error('--database is sqlite or postgres');
if (apart && database === 'sqlite') throw new Error('--apart needs PostgreSQL: leave --database sqlite out');
if (
  ![seed, kills, warmPods, stillMs, diskMb ?? 1, outageMs ?? 1].every(
    (number) => Number.isFinite(number) && number >= 0,
  )
)
  throw new Error('--seed, --kills, --warm-pods, --disk (MB), --outage and --still (seconds) are numbers');
if (cluster !== null && cluster !== 'kubernetes' && cluster !== 'slurm')
  throw new Error('--cluster is kubernetes or slurm');
const only = values.only?.split(',') ?? null;
const unknown = only?.filter((name) => faults.every((fault) => fault.name !== name)) ?? [];
if (unknown.length > 0)
  throw new Error(`--only: no fault ${unknown.join(', ')}; there is: ${faults.map(({ name }) => name).join(', ')}`);
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
ensureTools(
  [
    ...runtimeTools,
    ...testTools,
    ...(database === 'postgres' ? [postgresTool] : []),
    ...(values.engine ? containerTools : []),
    ...(cluster === 'slurm' ? slurmTools : cluster === 'kubernetes' ? kubernetesTools : []),
  ],
  say,
);
if (cluster === 'kubernetes') buildKubernetes(say);
if (values.s3) buildS3(say);
say(`seed ${seed}, ${kills} kills on ${database}`);
const report = await runFaults({
  seed,
  kills,
  only,
  database,
  apart,
  diskMb,
  outageMs,
  stillMs,
  withEngine: values.engine,
  cluster,
  warmPods,
  withS3: values.s3,
  pauseMs: cluster === null ? 800 : 6_000,
  report: say,
});
process.stdout.write(`${JSON.stringify({ seed, ...report }, null, 2)}\n`);
process.exitCode = report.wrong.length === 0 ? 0 : 1;
