import { processOf, simulate } from './simulate.ts';

// `node packages/workflow/src/simulator/main.ts SEED [COUNT]`: runs the processes of COUNT seeds from SEED on; for a
// single one, its file is printed, too.
const [first = 1, count = 1] = process.argv.slice(2).map(Number);
if (count === 1) console.log(processOf(first));
const ends = new Map<string, number>();
let entries = 0;
const began = performance.now();
for (let seed = first; seed < first + count; seed++) {
  const ended = await simulate(seed);
  ends.set(ended.phase, (ends.get(ended.phase) ?? 0) + 1);
  entries += ended.entries;
}
console.log(
  JSON.stringify({ count, entries, milliseconds: Math.round(performance.now() - began), ...Object.fromEntries(ends) }),
);
