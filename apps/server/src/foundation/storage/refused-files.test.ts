import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../../../script/free-port.ts';
import { startS3, type TestS3 } from '../../testing/s3.ts';
import { readConfiguration } from '../config/index.ts';
import { openBlobs } from './open-blobs.ts';
import { refusedFiles } from './refused-files.ts';

let s3: TestS3;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3?.close());

/** The words with which changed settings are refused. */
async function refusal(settings: Readonly<Record<string, string>>): Promise<string> {
  const { blobs, dataDir } = readConfiguration({ ...s3.settings, ...settings });
  const store = await openBlobs(blobs, dataDir);
  const failed = refusedFiles(await store.put('text').catch((error: unknown) => error));
  expect(failed).toMatchObject({ name: 'Refusal' });
  return (failed as Error).message;
}

test('an S3 that does not answer is told with the setting of its address', async () => {
  const words = await refusal({ KETHUB_S3_ENDPOINT: `http://127.0.0.1:${await freePort()}` });
  expect(words).toBe('The S3 does not answer (ECONNREFUSED). Start it, or correct KETHUB_S3_ENDPOINT.');
});

test('credentials that the S3 does not know are told with their settings', async () => {
  const words = await refusal({ KETHUB_S3_ACCESS_KEY_ID: 'nobody' });
  expect(words).toMatch(/refuses the credentials \(\w+\)\. Correct KETHUB_S3_ACCESS_KEY_ID and KETHUB_S3_SECRET_ACCE/);
});

test('a bucket that is not there is told', async () => {
  expect(await refusal({ KETHUB_BLOBS: 's3://nowhere/files' })).toMatch(/no such bucket\. .*KETHUB_BLOBS/);
});

test('a clock that differs from that of the S3 is no wrong credential', () => {
  const skewed = Object.assign(new Error('skewed'), {
    name: 'RequestTimeTooSkewed',
    $metadata: { httpStatusCode: 403 },
  });
  expect(refusedFiles(skewed)).toMatchObject({ name: 'Refusal', message: expect.stringContaining('Set the clock') });
});

test('an S3 that is overloaded is no wrong setting', () => {
  const slow = Object.assign(new Error('slow down'), { $metadata: { httpStatusCode: 503 } });
  expect(refusedFiles(slow)).toBe(slow);
});
