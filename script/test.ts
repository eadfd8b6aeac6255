import { postgresTool, startPostgres } from './postgres.ts';
import { run } from './run.ts';
import { check } from './static-checks.ts';
import { ensureTools, runtimeTools, testTools, ToolsMissing } from './system-tools.ts';

// `npm test`: sets up what the machine lacks, checks the code, then runs every test on SQLite and on a real PostgreSQL.
// Arguments go to vitest: npm test -- packages/runtime
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
const chosen = process.argv.slice(2);

try {
  ensureTools([...runtimeTools, ...testTools, postgresTool], say);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}
const checked = chosen.length > 0 || check();
const postgres = await startPostgres({ durable: false });
try {
  const tested = run('tests', 'vitest', ['run', ...chosen], { KETHUB_TEST_POSTGRES_URL: postgres.url });
  process.exitCode = checked && tested ? 0 : 1;
} finally {
  await postgres.stop();
}
