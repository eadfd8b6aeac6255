import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, type Problem } from '@kethub/workflow';
import { fetchForeignWorkflows, workflowFilesIn } from '../foreign-workflows.ts';

// `npm run conformance:bpmn -- FOLDER`: deploys every *.bpmn, *.bpmn2 and *.bpmn20.xml file below a folder, as far as
// that is possible without a platform, and prints one JSON line. Within a second, each file must be accepted, or
// refused with reasons that name their place. Without a folder: the files of two other tools, which are fetched once.
const LIMIT_MS = 1000;
const folder = process.argv[2] ?? fetchForeignWorkflows();
const files = workflowFilesIn(folder);
const reasons: Record<string, number> = {};
const milliseconds: number[] = [];
const failing: Record<'crashed' | 'unlocated' | 'slow', string[]> = { crashed: [], unlocated: [], slow: [] };
let accepted = 0;
let refused = 0;

/** A problem is in an element, in a line, or of the file as a whole. */
const isLocated = ({ elementId, line, code }: Problem): boolean =>
  elementId !== null || line !== undefined || code === 'TOO_LARGE' || code === 'ENCODING';

for (const name of files) {
  const bytes = readFileSync(path.join(folder, name));
  const began = performance.now();
  try {
    const result = await parse(bytes);
    if ('graph' in result) accepted++;
    else {
      refused++;
      if (result.problems.length === 0 || !result.problems.every(isLocated)) failing.unlocated.push(name);
      for (const code of new Set(result.problems.map((problem) => problem.code)))
        reasons[code] = (reasons[code] ?? 0) + 1;
    }
  } catch (error) {
    failing.crashed.push(name);
    process.stderr.write(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
  const took = performance.now() - began;
  milliseconds.push(took);
  if (took > LIMIT_MS) failing.slow.push(name);
}

milliseconds.sort((a, b) => a - b);
const at = (share: number) => Math.round((milliseconds[Math.ceil(milliseconds.length * share) - 1] ?? 0) * 10) / 10;
const { crashed, unlocated, slow } = failing;
process.stdout.write(
  `${JSON.stringify({
    files: files.length,
    accepted,
    refused,
    crashed: crashed.length,
    unlocated: unlocated.length,
    slow: slow.length,
    milliseconds: { p50: at(0.5), p99: at(0.99), max: at(1) },
    reasons,
    failing,
  })}\n`,
);
process.exitCode = crashed.length + unlocated.length + slow.length === 0 ? 0 : 1;
