import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { builtOnce, callGo } from './kubernetes/build.ts';

const MODULE = 'github.com/versity/versitygw';
const VERSION = 'v1.8.0';
const BUCKET = 'kethub';

/** Path of a real S3 server, Versity's gateway. The first call builds it from its Go module, in one to five minutes. */
export function buildS3(say: (line: string) => void): string {
  return builtOnce(`versitygw-${VERSION}`, (folder) => {
    say('building an S3 server from its Go module, once for this machine: one to five minutes ...');
    callGo(['install', '-trimpath', `${MODULE}/cmd/versitygw@${VERSION}`], folder, { GOBIN: folder });
    return path.join(folder, 'versitygw');
  });
}

/** A running S3 server with one bucket. */
export interface S3Server {
  /** Settings of a platform that uses the bucket. */
  readonly settings: Readonly<Record<string, string>>;
  /** Kills it without warning. */
  kill(): Promise<void>;
  /** Starts it again after that, on the same files and port. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the server on an address of this machine, by default loopback, with its files in a temporary folder. */
export async function startS3Server(program: string, host = '127.0.0.1'): Promise<S3Server> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-s3-server-'));
  mkdirSync(path.join(folder, 'files', BUCKET), { recursive: true });
  mkdirSync(path.join(folder, 'attributes'));
  const port = await freePort();
  const [access, secret] = ['kethub', 'kethub-secret-of-tests'];
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(
      program,
      ['--quiet', '--keep-alive', '--port', `${host}:${port}`, 'posix', '--sidecar', path.join(folder, 'attributes'), path.join(folder, 'files')], // prettier-ignore
      {
        stdio: 'ignore',
        env: { PATH: process.env['PATH'] ?? '', ROOT_ACCESS_KEY_ID: access, ROOT_SECRET_ACCESS_KEY: secret },
      },
    );
    for (let attempt = 0; attempt < 600; attempt++) {
      if (child.exitCode !== null) break;
      if (await fetch(`http://${host}:${port}/`).catch(() => null)) return child;
      await pause(50);
    }
    child.kill('SIGKILL');
    throw new Error('The S3 server does not start');
  };
  let server = await start();
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    settings: {
      KETHUB_BLOBS: `s3://${BUCKET}/files`,
      KETHUB_S3_ENDPOINT: `http://${host}:${port}`,
      KETHUB_S3_ACCESS_KEY_ID: access,
      KETHUB_S3_SECRET_ACCESS_KEY: secret,
    },
    kill,
    async revive() {
      server = await start();
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
