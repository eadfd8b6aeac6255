import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { runUpgrade } from '../../test/upgrade/run.ts';
import { postgresTool } from '../postgres.ts';
import { ensureTools, runtimeTools, testTools, ToolsMissing } from '../system-tools.ts';

// `npm run conformance:upgrade -- --from v1.2.0`: replaces the processes of an installation one by one by those of the
// work tree, under steady calls. Without --from it begins with the last tag, or with the last commit where there is none.
// If both have the same migrations, the newer version is the work tree with one more.
const { values } = parseArgs({ options: { from: { type: 'string' } } });
const lastTag = spawnSync('git', ['describe', '--tags', '--abbrev=0'], { encoding: 'utf8' });
const from = values.from ?? (lastTag.status === 0 ? lastTag.stdout.trim() : 'HEAD');
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
if (spawnSync('git', ['rev-parse', '--verify', '--quiet', `${from}^{commit}`]).status !== 0) {
  say(`There is no tag or commit ${from}. Name one with --from.`);
  process.exit(1);
}
try {
  ensureTools([...runtimeTools, ...testTools, postgresTool], say);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}
const report = await runUpgrade(from, say);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.wrong.length === 0 ? 0 : 1;
