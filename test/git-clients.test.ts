import { afterAll, beforeAll, vi } from 'vitest';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub } from '@kethub/server/testing/kethub';
import { realGit } from './git-clients/client.ts';
import { openGiven, testGitProgram, type Given } from './git-clients/contract.ts';

// Each command is a process of its own.
vi.setConfig({ testTimeout: 120_000 });

let given: Given;

beforeAll(async () => {
  const kethub = await startTestKethub(sqlite);
  given = await openGiven(kethub);
});
afterAll(async () => {
  await given.client.close();
  await given.kethub.close();
});

testGitProgram(
  () => given,
  ({ client }) => realGit(client, 2),
  'git with protocol 2',
);
