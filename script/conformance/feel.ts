import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readCases } from '@kethub/feel/conformance/cases';
import { reportOf, runCase } from '@kethub/feel/conformance/run';
import { root } from '../run.ts';

// `npm run conformance:feel -- FILE`: runs a file of FEEL cases, one JSON object a line. Prints the failing cases, the
// groups, and as the last line everything as JSON. With `--write` the result goes to packages/feel/conformance.json.
const [file, ...options] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('kethub: Name the file with the cases: npm run conformance:feel -- FILE [--write]\n');
  process.exit(1);
}

const report = reportOf(readCases(file).map((one) => runCase(one)));
for (const [id, failure] of Object.entries(report.failing)) process.stdout.write(`failed  ${id}  ${failure}\n`);
for (const [group, { passed, total }] of Object.entries(report.groups)) {
  process.stdout.write(`${String(passed).padStart(5)} of ${String(total).padStart(5)}  ${group}\n`);
}
if (options.includes('--write')) {
  writeFileSync(path.join(root, 'packages/feel/conformance.json'), `${JSON.stringify(report, null, 2)}\n`);
}
const { passed, total, tooSlow, exceptions } = report.total;
process.stdout.write(
  `${JSON.stringify({ total, passed, failed: total - passed, tooSlow, exceptions, groups: report.groups, failing: Object.keys(report.failing) })}\n`,
);
