import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { measuredApart } from '../bench/lib/apart.ts';
import { isReached, type Measurement } from '../bench/lib/measurement.ts';
import { measurements as all, onRequest } from '../bench/measurements/index.ts';
import { profile } from '../bench/measurements/profile.ts';
import { root } from './run.ts';
import { rounded } from './generate/numbers.ts';
import { benchTools, ensureTools, runtimeTools } from './system-tools.ts';

// `npm run bench`: every number of SPECIFICATION.md, as a table and as bench/results.json. `npm run bench -- name …`:
// some of them; they replace those of the same names in bench/results.json. `npm run bench -- profile`: where the time
// of a request goes. Each measurement is a process of its own, and is written as soon as it is taken. If one fails, the
// others go on.
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => name !== 'profile' && !Object.hasOwn(all, name));
if (unknown.length > 0) {
  process.stderr.write(`No measurement is called ${unknown.join(', ')}. There are: ${Object.keys(all).join(', ')}.\n`);
  process.exit(1);
}
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

const machine = {
  date: new Date().toISOString().slice(0, 10),
  cpu: os.cpus()[0]?.model ?? 'unknown',
  cores: os.cpus().length,
  memoryGb: Math.round(os.totalmem() / 2 ** 30),
  system: `${os.type()} ${os.release()} ${os.arch()}`,
  node: process.version,
  python: execFileSync('/usr/bin/python3', ['--version'], { encoding: 'utf8' }).trim(),
};
const results = path.join(root, 'bench/results.json');
// Written below.
const { measurements: earlier } = JSON.parse(readFileSync(results, 'utf8')) as { measurements: Measurement[] };
const measurements: Measurement[] = [];
const failed: string[] = [];
for (const name of Object.keys(all)) {
  if (chosen.length === 0 ? onRequest.includes(name) : !chosen.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  const measured = await measuredApart(name);
  if (measured) measurements.push(...measured);
  else failed.push(name);
  // The output is for people to compare; it promises no number.
  if (measured && name !== 'timing') write();
}

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
if (failed.length > 0) {
  process.stderr.write(
    `FAILED, and not written: ${failed.join(', ')}. Take them again: npm run bench -- ${failed.join(' ')}\n`,
  );
  process.exitCode = 1;
}

/** Writes the new measurements beside the earlier ones, which may be from another day. */
function write(): void {
  const dated = measurements.map((one) => ({ date: machine.date, ...one }));
  const kept = earlier.filter(({ name }) => measurements.every((one) => one.name !== name));
  writeFileSync(results, `${readable({ machine, measurements: [...kept, ...dated] })}\n`);
}

/** Indented JSON. The numbers of an array stand on one line, so that the rounds of a measurement can be read. */
function readable(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll(
    /\[\s+([-\d.e+,\s]+?)\s+\]/g,
    (_, numbers: string) => `[${numbers.replaceAll(/\s+/g, ' ')}]`,
  );
}
