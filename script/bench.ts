import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isReached, type Measurement } from '../bench/lib/measurement.ts';
import { acceptedExecutions } from '../bench/measurements/executions.ts';
import { runs } from '../bench/measurements/runs.ts';
import { start } from '../bench/measurements/start.ts';
import { statusReads } from '../bench/measurements/status-reads.ts';
import { tokenGrants } from '../bench/measurements/token-grants.ts';
import { timing } from '../bench/measurements/timing.ts';
import { profile } from '../bench/measurements/profile.ts';
import { root } from './run.ts';
import { rounded } from './generate/numbers.ts';
import { benchTools, ensureTools, runtimeTools } from './system-tools.ts';

// `npm run bench`: every number of SPECIFICATION.md, as a table and as bench/results.json.
// `npm run bench -- name …`: some of them, as a table. `npm run bench -- profile`: where the time of a request goes.
const all = { statusReads, tokenGrants, acceptedExecutions, runs, start };
/** Run only when asked for: what they tell is no promise in a number. */
const others = { timing };
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
for (const [name, measure] of Object.entries({ ...all, ...others })) {
  if (chosen.length === 0 ? name in others : !chosen.includes(name)) continue;
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
if (chosen.length === 0) {
  mkdirSync(path.join(root, 'bench'), { recursive: true });
  writeFileSync(path.join(root, 'bench/results.json'), `${JSON.stringify({ machine, measurements }, null, 2)}\n`);
}
