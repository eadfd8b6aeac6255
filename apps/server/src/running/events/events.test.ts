import type { PlatformClient } from '@kethub/client';
import type { ChangeEvent } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

/** A reader of the stream that keeps what it has heard. */
interface Listening {
  /** Resolves with the first event for which `isIt` holds, also when it has come already. */
  heard(isIt: (event: ChangeEvent) => boolean): Promise<ChangeEvent>;
  readonly events: readonly ChangeEvent[];
  close(): Promise<void>;
}

async function listen(client: PlatformClient, more: { from?: string; everywhere?: boolean } = {}): Promise<Listening> {
  const stop = new AbortController();
  const response = await client.listEvents.response({
    ...(more.everywhere !== undefined && { everywhere: more.everywhere }),
    headers: { accept: 'text/event-stream', ...(more.from !== undefined && { 'last-event-id': more.from }) },
    signal: stop.signal,
  });
  const events: ChangeEvent[] = [];
  const waiting = new Set<() => void>();
  const body = response.body?.pipeThrough(new TextDecoderStream()) ?? new ReadableStream<string>();
  const reading = (async () => {
    let text = '';
    for await (const piece of body) {
      const parts = (text + piece).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s))) as Record<
          string,
          string
        >;
        const { id, event, data } = fields;
        if (data !== undefined) events.push({ id, event, ...(JSON.parse(data) as object) } as ChangeEvent);
      }
      for (const look of waiting) look();
    }
  })().catch(() => undefined);
  return {
    events,
    heard: (isIt) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = events.find(isIt);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      stop.abort();
      await reading;
    },
  };
}

describe.each(databases())('events on $name', { timeout: 60_000 }, (kind) => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let grace: { client: PlatformClient };

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    grace = await kethub.signIn('grace');
    deployed = await deploy(kethub.client, 'Probe', probe);
  });
  afterAll(() => kethub.close());

  const run = async (client: PlatformClient): Promise<string> =>
    (await client.startJob({ serviceId: deployed.service.id, json: {}, headers: { prefer: 'wait=60' } })).id;

  test('reach owner and provider of an execution, with ids only, and nobody else', async () => {
    const { id: graceId } = await grace.client.getMe();
    await kethub.client.createShare({
      serviceId: deployed.service.id,
      json: { recipient: { type: 'USER', id: graceId } },
    });
    const [ada, hers] = [await listen(kethub.client), await listen(grace.client)];
    const [own, ofGrace] = [await run(kethub.client), await run(grace.client)];
    const serviceId = deployed.service.id;
    const heard = await ada.heard(({ event, executionId }) => event === 'execution' && executionId === own);
    expect(heard).toEqual({ id: expect.any(String) as string, event: 'execution', executionId: own, serviceId });
    await ada.heard(({ event, executionId }) => event === 'provided-execution' && executionId === ofGrace);
    await hers.heard(({ event, executionId }) => event === 'execution' && executionId === ofGrace);
    expect(hers.events.filter(({ executionId }) => executionId === own)).toEqual([]);
    expect(ada.events.filter(({ event, executionId }) => event === 'execution' && executionId === ofGrace)).toEqual([]);
    await Promise.all([ada.close(), hers.close()]);
  });

  test('go on after Last-Event-ID, and begin with reset after an unknown one', async () => {
    const first = await listen(kethub.client);
    const before = await first.heard(({ event }) => event === 'reset');
    await first.close();
    const id = await run(kethub.client);
    const again = await listen(kethub.client, { from: before.id });
    await again.heard(({ executionId }) => executionId === id);
    expect(again.events.map(({ event }) => event)).not.toContain('reset');
    await again.close();
    const lost = await listen(kethub.client, { from: 'elsewhere.5' });
    expect(await lost.heard(() => true)).toMatchObject({ event: 'reset' });
    await lost.close();
    const json = await kethub.client.listEvents({ headers: { 'last-event-id': before.id } });
    expect(json).toContainEqual(expect.objectContaining({ event: 'execution', executionId: id }));
  });

  test('of builds and of all organizations come in one stream', async () => {
    const organization = await kethub.client.createOrganization({ json: { name: 'Bell Labs' } });
    const everywhere = await listen(kethub.client, { everywhere: true });
    const inside = { headers: { 'x-organizationid': organization.id } };
    const form = new FormData();
    form.set('name', 'Inside');
    form.set('source', await sourceOf(deployed, kethub));
    const service = await kethub.client.createService({ body: form, ...inside });
    expect(await everywhere.heard(({ event }) => event === 'build')).toMatchObject({
      organizationId: organization.id,
      serviceId: service.id,
      version: '1.0.0',
    });
    await everywhere.close();
  });

  test('are bounded for each person', async () => {
    const open: Listening[] = [];
    const most = kethub.kethub.platform.configuration.readers.logsOfCaller;
    for (let number = 0; number < most; number++) open.push(await listen(grace.client));
    await expect(listen(grace.client)).rejects.toMatchObject({ code: 'too-many-readers' });
    await Promise.all(open.map((one) => one.close()));
  });
});

async function sourceOf({ service }: DeployedService, { client }: TestKethub): Promise<Blob> {
  const response = await client.downloadSource.response({ serviceId: service.id, version: '1.0.0' });
  return response.blob();
}
