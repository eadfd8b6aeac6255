import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { KethubProcess } from '@kethub/server/testing/child-process';
import { databases } from '@kethub/server/testing/databases';
import { callerOf } from '@kethub/server/testing/gateway';
import { roomy, startTestKethub } from '@kethub/server/testing/kethub';
import { deployOnPremise, localTargets, startProvider } from '@kethub/server/testing/on-premise';
import { bpmn, calls, deployWorkflow, start } from '@kethub/server/testing/workflows';

const { chain, end, service, file } = bpmn;
const TASKS = 20;
/** Milliseconds, longer than any lease of a job. */
const STILL_MS = 13_000;

// Most of the time nothing happens, so both platforms stand still at the same time.
describe.concurrent.each(databases())('a platform that stands still on $name', (kind) => {
  test('calls every service once, and goes on', { timeout: 300_000 }, async () => {
    const keys = new Map<string, number>();
    const provider = await startProvider((request, response) => {
      const { method, url = '' } = request;
      const send = (body: object): void => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
      };
      request.resume().once('end', () => {
        if (method === 'GET') return send(url.endsWith('/result') ? { answer: 1 } : { status: 'SUCCEEDED' });
        const key = String(request.headers['idempotency-key']);
        keys.set(key, (keys.get(key) ?? 0) + 1);
        setTimeout(() => send({ id: key, status: 'PENDING' }), 2_000 + 50 * keys.size);
      });
    });
    const kethub = await startTestKethub(kind, localTargets);
    const { service: elsewhere } = await deployOnPremise(kethub.client, 'Slow', {
      url: `${provider.url}/`,
      timeoutSeconds: 100,
    });
    const loop = { over: `=for i in 1..${TASKS} return i`, as: 'each', into: 'answers', collect: '=answer' };
    const there = service('there', { loop, out: { answer: '=answer' }, extensions: calls(elsewhere.id) });
    const xml = file([start(), there, end('end', { done: '=true' }), chain('start', 'there', 'end')]);
    const app = await callerOf(await deployWorkflow(kethub.client, 'Many', xml, [elsewhere]));
    const { api, gateway } = kethub.kethub.platform.addresses;
    const { dataDir, databaseUrl } = kethub;
    await kethub.stop();
    const platform = new KethubProcess(
      {
        ...localTargets,
        ...roomy,
        KETHUB_DATA_DIR: dataDir,
        KETHUB_PORT: new URL(api).port,
        KETHUB_GATEWAY_PORT: new URL(gateway).port,
        KETHUB_DEMO: 'off',
        ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
      },
      Number(new URL(api).port),
    );
    await platform.ready();
    const { id } = await app.start({});
    for (let round = 0; round < 3; round += 1) {
      await pause(1_000);
      await platform.standStill(STILL_MS);
    }
    for (let status = ''; status !== 'SUCCEEDED'; await pause(100)) {
      ({ status } = (await app.request('GET', `/${id}`)).body as { status: string });
      expect(status).not.toBe('FAILED');
    }
    expect([...keys.values()]).toEqual(Array.from({ length: TASKS }, () => 1));
    await platform.end();
    await kethub.close();
    await provider.close();
  });
});
