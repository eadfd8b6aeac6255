import path from 'node:path';
import { expect } from 'vitest';

// Before each file of tests: where its platforms log to.
const root = path.resolve(import.meta.dirname, '../..');
const folder = process.env['LOG_CHECK_FOLDER'];
if (folder === undefined) throw new Error('The folder of the log lines is made by test/log-check/whole-run.ts');
const name = path.relative(root, expect.getState().testPath ?? 'unknown').replaceAll(path.sep, '|');
process.env['LOG_CHECK_FILE'] = path.join(folder, name);
