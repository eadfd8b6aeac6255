import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { limits } from '@kethub/contract';
import { afterAll, expect, test } from 'vitest';
import { openBlobFolder } from '../../../foundation/storage/blobs.ts';
import { serviceResult } from './service-result.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kethub-results-'));
const blobs = openBlobFolder(folder);
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['more parts than a workflow keeps', `[${'{},'.repeat(limits.workflowResultParts)}1]`],
  ['more bytes than a workflow keeps', JSON.stringify('x'.repeat(limits.workflowResultBytes))],
  ['worst for parsers, in as many bytes as it may have', `[${'[],'.repeat(limits.workflowResultBytes / 3 - 2)}1]`],
])('a result of a service with %s is refused before anything is built of it', async (_what, text) => {
  const result_blob = await blobs.put(text);
  expect(await serviceResult(blobs, { result: null, result_blob })).toBe('TOO_LARGE');
});

test('a result of a service that a workflow can keep is its value, also a long list of numbers', async () => {
  const value = { numbers: Array.from({ length: 1_000_000 }, (_, number) => number) };
  const result_blob = await blobs.put(JSON.stringify(value));
  expect(await serviceResult(blobs, { result: null, result_blob })).toEqual({ value });
  expect(await serviceResult(blobs, { result: '{"a":1}', result_blob: null })).toEqual({ value: { a: 1 } });
});
