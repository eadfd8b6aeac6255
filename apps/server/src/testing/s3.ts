import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';
import { startS3Server } from '../../../../script/s3.ts';

/** A real S3 server with one bucket. */
export interface TestS3 {
  /** Settings of a platform that uses the bucket. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts one. `npm run conformance:s3` takes the server of another vendor. */
export async function startS3(): Promise<TestS3> {
  const program = process.env['KETHUB_TEST_S3_SERVER'];
  if (program !== undefined) return startS3Server(program);
  const directory = await mkdtemp(path.join(os.tmpdir(), 'kethub-s3-'));
  const configureBuckets = [{ name: 'kethub-test', configs: [] }];
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
  const { port } = await server.run();
  return {
    settings: {
      KETHUB_BLOBS: 's3://kethub-test/files',
      KETHUB_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      // The default credentials of this server.
      KETHUB_S3_ACCESS_KEY_ID: 'S3RVER',
      KETHUB_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    async close() {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
