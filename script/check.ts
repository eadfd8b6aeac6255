import { check } from './static-checks.ts';

// `npm run check`: everything that can be said about the code without running it.
process.exitCode = (await check()) ? 0 : 1;
