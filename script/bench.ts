import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isReached, type Measurement } from '../bench/lib/measurement.ts';
import { accounts } from '../bench/measurements/accounts.ts';
import { applications } from '../bench/measurements/applications.ts';
import { catalog } from '../bench/measurements/catalog.ts';
import { containers } from '../bench/measurements/containers.ts';
import { acceptedExecutions } from '../bench/measurements/executions.ts';
import { feel } from '../bench/measurements/feel.ts';
import { forwarding } from '../bench/measurements/forwarding.ts';
import { queue } from '../bench/measurements/queue.ts';
import { runs } from '../bench/measurements/runs.ts';
import { start } from '../bench/measurements/start.ts';
import { statusReads } from '../bench/measurements/status-reads.ts';
import { throughput } from '../bench/measurements/throughput.ts';
import { tokenGrants } from '../bench/measurements/token-grants.ts';
import { workflowCalls } from '../bench/measurements/workflow-calls.ts';
import { workflowEngine } from '../bench/measurements/workflow-engine.ts';
import { workflowLarge } from '../bench/measurements/workflow-large.ts';
import { workflowMemory } from '../bench/measurements/workflow-memory.ts';
import { warm } from '../bench/measurements/warm.ts';
import { timing } from '../bench/measurements/timing.ts';
import { profile } from '../bench/measurements/profile.ts';
import { workflows } from '../bench/measurements/workflows.ts';
import { root } from './run.ts';
import { rounded } from './generate/numbers.ts';
import { benchTools, ensureTools, runtimeTools } from './system-tools.ts';

// `npm run bench`: every number of SPECIFICATION.md, as a table and as bench/results.json.
// `npm run bench -- name …`: some of them, in the place of what bench/results.json had of the same names.
// `npm run bench -- profile`: where the time of a request goes.
const all = {
  statusReads,
  tokenGrants,
  acceptedExecutions,
  applications,
  runs,
  warm,
  throughput,
  containers,
  queue,
  start,
  forwarding,
  feel,
  catalog,
  accounts,
  timing,
  workflowEngine,
  workflows,
  workflowCalls,
  workflowLarge,
  workflowMemory,
};
/** Run only when asked for: it takes longer than all others, or what it tells is no promise in a number. */
const onRequest = ['accounts', 'timing', 'workflows', 'workflowCalls', 'workflowLarge', 'workflowMemory'];
const chosen = process.argv.slice(2);
ensureTools([...runtimeTools, ...benchTools], (line) => void process.stderr.write(`kethub: ${line}\n`));

if (chosen[0] === 'profile') {
  const profiles = { statusReads: await profile('statusReads'), tokenGrants: await profile('tokenGrants') };
  for (const [kind, shares] of Object.entries(profiles)) {
    process.stdout.write(`${kind}\n`);
    for (const { where, share } of shares)
      process.stdout.write(`  ${(share * 100).toFixed(0).padStart(3)} %  ${where}\n`);
  }
  writeFileSync(path.join(root, 'bench/profile.json'), `${JSON.stringify(profiles, null, 2)}\n`);
  process.exit();
}

const measurements: Measurement[] = [];
for (const [name, measure] of Object.entries(all)) {
  if (chosen.length === 0 ? onRequest.includes(name) : !chosen.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  measurements.push(...(await measure()));
}

const machine = {
  date: new Date().toISOString().slice(0, 10),
  cpu: os.cpus()[0]?.model ?? 'unknown',
  cores: os.cpus().length,
  memoryGb: Math.round(os.totalmem() / 2 ** 30),
  system: `${os.type()} ${os.release()} ${os.arch()}`,
  node: process.version,
  python: execFileSync('/usr/bin/python3', ['--version'], { encoding: 'utf8' }).trim(),
};
const rows = measurements.map((one) => {
  const reached = isReached(one);
  const goal = one.goal === null ? '' : 'atLeast' in one.goal ? `≥ ${one.goal.atLeast}` : `≤ ${one.goal.atMost}`;
  return [one.name, `${rounded(one.value)} ${one.unit}`, goal, reached === null ? '' : reached ? 'reached' : 'MISSED'];
});
const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
for (const row of rows)
  process.stdout.write(
    `${row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()}\n`,
  );
process.stdout.write(`${Object.values(machine).join(' · ')}\n`);
const results = path.join(root, 'bench/results.json');
const { date } = machine;
const dated = measurements.map((one) => ({ date, ...one }));
if (!chosen.includes('timing'))
  writeFileSync(results, `${JSON.stringify({ machine, measurements: [...keptOf(results), ...dated] }, null, 2)}\n`);

/** What was measured earlier, on another day perhaps, and not now. */
function keptOf(file: string): Measurement[] {
  // Written above.
  const { measurements: earlier } = JSON.parse(readFileSync(file, 'utf8')) as { measurements: Measurement[] };
  const kept = chosen.length > 0 ? earlier : earlier.filter(({ cell }) => cell !== undefined);
  return kept.filter(({ name }) => measurements.every((one) => one.name !== name));
}
