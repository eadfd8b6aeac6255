import { postgresTool, startPostgres } from '../postgres.ts';
import { run } from '../run.ts';
import { buildS3 } from '../s3.ts';
import { ensureTools, runtimeTools, testTools, ToolsMissing } from '../system-tools.ts';

// npm run conformance:s3 tries another S3 server than that of the tests. It runs the contract of stores, quotas and
// deletion, backup and restore, and a platform in several processes. The first run builds it.
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
try {
  ensureTools([...runtimeTools, ...testTools, postgresTool], say);
  const environment = { KETHUB_TEST_S3_SERVER: buildS3(say) };
  const postgres = await startPostgres({ durable: false });
  try {
    const server = { ...environment, KETHUB_TEST_POSTGRES_URL: postgres.url };
    const one = await run('stores of files', 'vitest', ['run', 'storage/blob-stores', 'quotas/s3'], server);
    const deep = ['run', 'test/processes.deep', 'backup.deep'];
    const two = await run('several processes and backup', 'vitest', deep, { ...server, KETHUB_TEST_DEEP: '1' });
    process.exitCode = one && two ? 0 : 1;
  } finally {
    await postgres.stop();
  }
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exitCode = 1;
}
