import { check } from './static-checks.ts';

// `npm run check`: checks the code without running it.
process.exitCode = (await check()) ? 0 : 1;
