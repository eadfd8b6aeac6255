import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sqlite } from '@kethub/server/testing/databases';
import { GitClient } from '@kethub/server/testing/git-client';
import { linesOf, pushOf } from '@kethub/server/testing/git-packets';
import { RawGit } from '@kethub/server/testing/git-raw';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

// Ten thousand refs are written one by one, each with a sync.
vi.setConfig({ testTimeout: 600_000 });

const MOST_REFS = 10_000;
const REFS_OF_PUSH = 1_000;

let kethub: TestKethub;
let client: GitClient;

beforeAll(async () => {
  kethub = await startTestKethub(sqlite);
  client = await GitClient.open();
});
afterAll(async () => {
  await client.close();
  await kethub.close();
});

test(`a repository has at most ${MOST_REFS} refs, and can be listed and cloned with them`, async () => {
  const { value: token } = await kethub.client.createAccessToken({ json: { name: 'git' } });
  const made = await kethub.client.createImplementation({ json: { name: 'many' } });
  const url = made.cloneUrl.replace('://', `://x:${token}@`);
  const raw = new RawGit(made, token ?? '');
  const tip = await client.commit('many', { 'a.txt': '1' });
  await client.run('many', 'push', '-q', url, 'main');
  const changes = (from: number, count: number) =>
    Array.from({ length: count }, (_, number) => ({ ref: `refs/heads/b/${from + number}`, to: tip }));
  for (let from = 0; from + REFS_OF_PUSH < MOST_REFS; from += REFS_OF_PUSH)
    expect((await raw.push(pushOf(changes(from, REFS_OF_PUSH)))).status).toBe(200);
  const beyond = await raw.push(pushOf(changes(MOST_REFS, REFS_OF_PUSH)));
  expect(linesOf(beyond.body).join('')).toMatch(/pre-receive hook declined/);
  const last = await raw.push(pushOf(changes(MOST_REFS, REFS_OF_PUSH - 1)));
  expect(linesOf(last.body).join('').split('ok refs/').length - 1).toBe(REFS_OF_PUSH - 1);
  const one = await raw.push(pushOf([{ ref: 'refs/heads/one', to: tip }]));
  expect(linesOf(one.body).join('')).toMatch(/ng refs\/heads\/one pre-receive hook declined/);
  const listed = await client.run('many', 'ls-remote', '--heads', url);
  expect(listed.split('\n')).toHaveLength(MOST_REFS);
  const refs = await kethub.client.listImplementationRefs({ implementationId: made.id });
  expect(refs.branches).toHaveLength(MOST_REFS);
  await client.run('', 'clone', '-q', url, 'many-clone');
});
