import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { callerOf } from '@kethub/server/testing/gateway';
import { requestsPerSecond } from '../lib/load.ts';
import { startServer } from '../lib/process.ts';
import { trivial } from '../lib/services.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Share {
  readonly where: string;
  /** Share of the time in which the process was busy, 0 to 1. */
  readonly share: number;
}

const GROUPS: readonly (readonly [string, RegExp])[] = [
  ['write to the socket (system call)', /^(writeUtf8String|writeLatin1String|writeBuffer|writev)\b/],
  ['garbage collector', /^\(garbage collector\)/],
  ['engine and native code', /^\(program\)| $/],
  ['SQLite', /better-sqlite3|kysely/],
  ['hashes and signatures', /internal\/crypto/],
  ['HTTP of Node', / node:/],
  [
    'Fastify and its router',
    /node_modules\/(fastify|find-my-way|fast-json-stringify|@fastify|avvio|secure-json|light)/,
  ],
  ['other libraries', /node_modules/],
  ['the platform', /apps\/server|packages\//],
];

/** The profile of the platform while it answers `kind` of requests as fast as it can. */
export async function profile(kind: 'statusReads' | 'tokenGrants'): Promise<Share[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  try {
    const question: Question = { settings: {}, services: { Trivial: trivial.files } };
    const flags = ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${folder}`];
    const platform = await startServer<PlatformReady>('servers/platform.ts', question, 0, flags);
    const service = platform.ready.services['Trivial'];
    if (!service) throw new Error('Not deployed');
    const app = await callerOf(service);
    const { id } = await app.finish({});
    const load = { connections: 32, seconds: 15 };
    if (kind === 'statusReads') {
      const url = `${service.endpoint}/${id}`.replace('localhost', '127.0.0.1');
      await requestsPerSecond({ ...load, url, headers: { authorization: `Bearer ${app.bearer}` } });
    } else {
      const credentials = Buffer.from(`${service.accessKeyId}:${service.secretAccessKey}`).toString('base64');
      const headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' };
      const url = service.application.tokenEndpoint.replace('localhost', '127.0.0.1');
      await requestsPerSecond({ ...load, url, method: 'POST', headers, body: 'grant_type=client_credentials' });
    }
    await platform.stop();
    return shares(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function shares(folder: string): Share[] {
  const [file] = readdirSync(folder);
  if (file === undefined) throw new Error('No profile was written');
  // Written by Node (--cpu-prof), in the form of the DevTools protocol.
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as CpuProfile;
  const names = new Map(nodes.map(({ id, callFrame }) => [id, `${callFrame.functionName} ${callFrame.url}`]));
  const times = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    if (/^\((idle|root)\)/.test(name)) continue;
    const where = GROUPS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
    const time = timeDeltas[index] ?? 0;
    times.set(where, (times.get(where) ?? 0) + time);
    busy += time;
  }
  return [...times].map(([where, time]) => ({ where, share: time / busy })).toSorted((a, b) => b.share - a.share);
}
