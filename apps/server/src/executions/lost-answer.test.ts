import { setTimeout as pause } from 'node:timers/promises';
import { RuntimeUnavailable } from '@kethub/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../testing/databases.ts';
import { callerOf } from '../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../testing/kethub.ts';
import { probe } from '../testing/probe.ts';

describe.each(databases)('an execution whose start is not answered, on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
  });
  afterAll(() => kethub.close());

  test('is not started again when it has run and its end is collected and forgotten', async () => {
    const app = await callerOf(await deploy(kethub.client, 'Witness', probe));
    const { runtime } = kethub.kethub;
    const start = runtime.start.bind(runtime);
    const answers: string[] = [];
    Object.assign(runtime, {
      async start(job: Parameters<typeof start>[0]) {
        answers.push(await start(job));
        // As when the connection breaks in this moment; by then the runner knows nothing of it any more.
        while ((await runtime.list()).some(({ executionId }) => executionId === job.executionId)) await pause(10);
        throw new RuntimeUnavailable('The connection to the runner was lost before it had answered.');
      },
    });
    const { status } = await app.finish({ params: { return: 42 } });
    expect(status).toBe('SUCCEEDED');
    // Longer than the worker waits before it tries again.
    await pause(1_200);
    expect(answers).toEqual(['STARTED']);
  });
});
