import path from 'node:path';
import { expect } from 'vitest';

// Sets the name of each test file, and the log file of its platforms.
const root = path.resolve(import.meta.dirname, '../..');
const folder = process.env['LOG_CHECK_FOLDER'];
if (folder === undefined) throw new Error('The folder of the log lines is made by test/log-check/whole-run.ts');
const file = path.relative(root, expect.getState().testPath ?? 'unknown').replaceAll(path.sep, '/');
process.env['LOG_CHECK_FILE'] = path.join(folder, file.replaceAll('/', '|'));
// `databases` of apps/server/src/testing/databases.ts depends on it, and so do log lines of platforms.
process.env['TEST_FILE'] = file;
