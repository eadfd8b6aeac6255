import { afterAll, beforeAll, describe, vi } from 'vitest';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub } from '@kethub/server/testing/kethub';
import { dulwich, isomorphicGit, jgit, libgit2, realGit } from './git-clients/client.ts';
import { openGiven, testGitProgram, type Given } from './git-clients/contract.ts';

// Every command of JGit starts a Java.
vi.setConfig({ testTimeout: 300_000 });

/** Folders that script/test.ts has filled; undefined on a machine that cannot have them. */
const [pythonFolder, jgitFolder] = [process.env['KETHUB_TEST_PYTHON_GIT'], process.env['KETHUB_TEST_JGIT']];

let given: Given;

beforeAll(async () => {
  const kethub = await startTestKethub(sqlite);
  given = await openGiven(kethub);
});
afterAll(async () => {
  await given.client.close();
  await given.kethub.close();
});

for (const version of [0, 1])
  testGitProgram(
    () => given,
    ({ client }) => realGit(client, version),
    `git with protocol ${version}`,
    false,
  );
testGitProgram(
  () => given,
  () => isomorphicGit,
  'isomorphic-git',
);

describe.skipIf(pythonFolder === undefined).each([
  ['dulwich', dulwich],
  ['libgit2', libgit2],
] as const)('%s', (name, programOf) => {
  const program = programOf(pythonFolder ?? '');
  testGitProgram(
    () => given,
    () => program,
    name,
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
