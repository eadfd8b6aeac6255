import { check } from './static-checks.ts';
import { ensureTools, runtimeTools, ToolsMissing } from './system-tools.ts';

// `npm run check`: checks the code without running its tests.
try {
  // A platform is started for its OpenAPI documents.
  ensureTools(runtimeTools, (line) => void process.stderr.write(`kethub: ${line}\n`));
  process.exitCode = (await check()) ? 0 : 1;
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  process.stderr.write(`kethub: ${error.message}\n`);
  process.exitCode = 1;
}
