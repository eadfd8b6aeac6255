import { check, checkCommentOpenings, folders } from './static-checks.ts';

// `npm run check`: checks the code without running it, and how its comments begin.
const results = [checkCommentOpenings(folders), await check()];
process.exitCode = results.every(Boolean) ? 0 : 1;
