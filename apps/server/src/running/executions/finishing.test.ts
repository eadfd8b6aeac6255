import { expect, test } from 'vitest';
import { sqlite } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { deploy, startTestKethub } from '../../testing/kethub.ts';

const PROGRAM = `
import time
def run(seconds: float) -> dict:
    print('runs', flush=True)
    time.sleep(seconds)
    return {'slept': seconds}
`;

test('a worker that stops and has time finishes what runs, and the next one what waits', async () => {
  const settings = { KETHUB_FINISH_SECONDS: '60', KETHUB_MAX_CONCURRENT_EXECUTIONS: '1' };
  const kethub = await startTestKethub(sqlite, settings);
  try {
    const caller = await callerOf(await deploy(kethub.client, 'sleeper', { 'src/program.py': PROGRAM }));
    const first = await caller.start({ seconds: 5 });
    const second = await caller.start({ seconds: 0 });
    const statusOf = async (id: string): Promise<unknown> => {
      const { body } = await caller.request('GET', `/${id}`);
      return Reflect.get(body as object, 'status');
    };
    while ((await statusOf(first.id)) !== 'RUNNING') await new Promise((resolve) => setTimeout(resolve, 20));
    await kethub.restart();
    expect(await statusOf(first.id)).toBe('SUCCEEDED');
    const ended = await caller.request('GET', `/${second.id}`, { headers: { prefer: 'wait=60' } });
    expect(ended.body).toMatchObject({ status: 'SUCCEEDED' });
  } finally {
    await kethub.close();
  }
});
