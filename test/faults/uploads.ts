import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isBuilt, KethubError, serviceForm, type PlatformClient } from '@kethub/client';
import type { Build, Service } from '@kethub/contract';
import { zip } from '@kethub/server/testing/zip';
import type { Borne } from './bear.ts';
import { STUCK_MS } from './follow.ts';
import { had } from './judge.ts';
import { repeat, REPEAT_MS } from './repeat.ts';

const LOOK_MS = 200;
const BETWEEN_MS = 1_500;
const BYTES = 300_000;
const NAME = /^Upload \d+$/;

/**
 * The load of the platform interface: uploads services one after the other, until it is stopped. Of three it keeps one,
 * deletes one after its build, and one during it.
 */
export async function upload(client: PlatformClient, isBreaking: () => boolean, stop: AbortSignal): Promise<Borne> {
  const key = `uploads ${randomUUID()}`;
  const wrong: string[] = [];
  const failed: string[] = [];
  const kept: string[] = [];
  for (let number = 1; !stop.aborted; number++) {
    const name = `Upload ${number}`;
    const body = serviceForm({ name, source: await sourceOf(name) });
    const headers = { 'idempotency-key': `${key} ${number}` };
    const service = await repeat((signal) => client.createService({ body, headers, signal }), stop);
    if (!service) {
      wrong.push(`${name} was not accepted in ${REPEAT_MS / 1000} s`);
      continue;
    }
    const build = number % 3 === 0 ? null : await buildOf(client, service, isBreaking);
    if (build === 'STUCK') wrong.push(`the build of ${name} was stuck for ${STUCK_MS / 1000} s while nothing broke`);
    else if (build?.status === 'FAILED') failed.push(`the build of ${name} failed: ${JSON.stringify(build.problem)}`);
    if (number % 3 === 1) kept.push(name);
    else if (!(await repeat((limit) => remove(client, service, limit), stop))) wrong.push(`${name} was not deleted`);
    await pause(BETWEEN_MS);
  }
  const services = await client.listServices({ limit: 100 });
  const there = services.map(({ name }) => name).filter((name) => NAME.test(name));
  if (there.toSorted().join() !== kept.toSorted().join())
    wrong.push(`there are ${there.join(', ')} instead of ${kept.join(', ')}`);
  return {
    ends: [],
    titles: [],
    judge: ({ happened }) => [...wrong, ...(had(happened, 'disk') ? [] : failed)],
  };
}

async function sourceOf(name: string): Promise<Blob> {
  return zip({
    'src/__init__.py': '',
    'src/program.py': `def run(data=None):\n    return "${name}"\n`,
    'data.bin': randomBytes(BYTES),
  });
}

/** A repeated deletion finds nothing. */
async function remove(client: PlatformClient, { id }: Service, signal: AbortSignal): Promise<true> {
  try {
    await client.deleteService({ serviceId: id, signal });
  } catch (error) {
    if (!(error instanceof KethubError && error.status === 404)) throw error;
  }
  return true;
}

async function buildOf(client: PlatformClient, { id }: Service, isBreaking: () => boolean): Promise<Build | 'STUCK'> {
  for (let wellMs = 0; wellMs < STUCK_MS; await pause(LOOK_MS)) {
    const build = await client.getBuild({ serviceId: id, version: '1.0.0' }).catch(() => null);
    if (build && isBuilt(build)) return build;
    if (build && !isBreaking()) wellMs += LOOK_MS;
  }
  return 'STUCK';
}
