import path from 'node:path';
import { expect } from 'vitest';

// Before each file of tests: its name, and where its platforms log to.
const root = path.resolve(import.meta.dirname, '../..');
const folder = process.env['LOG_CHECK_FOLDER'];
if (folder === undefined) throw new Error('The folder of the log lines is made by test/log-check/whole-run.ts');
const file = path.relative(root, expect.getState().testPath ?? 'unknown').replaceAll(path.sep, '/');
process.env['LOG_CHECK_FILE'] = path.join(folder, file.replaceAll('/', '|'));
// `databases` of apps/server/src/testing/databases.ts depends on it.
process.env['TEST_FILE'] = file;
