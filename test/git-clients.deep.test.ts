import { afterAll, beforeAll, describe, vi } from 'vitest';
import { sqlite } from '@kethub/server/testing/databases';
import { GitClient } from '@kethub/server/testing/git-client';
import { startTestKethub } from '@kethub/server/testing/kethub';
import { dulwich, jgit } from './git-clients/client.ts';
import { testGitProgram, type Given } from './git-clients/contract.ts';

// Every command of JGit starts a Java.
vi.setConfig({ testTimeout: 300_000 });

/** Folders that script/git-clients.ts has made; undefined on a machine that cannot have them. */
const [dulwichFolder, jgitFolder] = [process.env['KETHUB_TEST_DULWICH'], process.env['KETHUB_TEST_JGIT']];

let given: Given;

beforeAll(async () => {
  const kethub = await startTestKethub(sqlite);
  given = { kethub, ben: await kethub.signIn('ben'), client: await GitClient.open() };
});
afterAll(async () => {
  await given.client.close();
  await given.kethub.close();
});

describe.skipIf(dulwichFolder === undefined)('dulwich', () => {
  const program = dulwich(dulwichFolder ?? '');
  testGitProgram(
    () => given,
    () => program,
    'dulwich',
  );
});

describe.skipIf(jgitFolder === undefined)('JGit', () => {
  const program = jgit(jgitFolder ?? '');
  testGitProgram(
    () => given,
    () => program,
    'JGit',
  );
});
