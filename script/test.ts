import { containerTools, EngineMissing, startContainerEngine, type ContainerEngine } from './container-engine.ts';
import { fetchJGit, jdkTool, JGitMissing } from './jgit.ts';
import { fetchKeycloak, javaTool, KeycloakMissing, startKeycloak, type Keycloak } from './keycloak.ts';
import { podmanTools, startPodman, type Podman } from './podman.ts';
import { postgresTool, startPostgres } from './postgres.ts';
import { fetchPackages, PackagesMissing } from './python-packages.ts';
import { run } from './run.ts';
import { check } from './static-checks.ts';
import { ensureTools, runtimeTools, testTools, ToolsMissing } from './system-tools.ts';

// `npm test`: installs missing tools, checks the code, and runs the tests on SQLite and on a real PostgreSQL (which files
// run on both: apps/server/src/testing/databases.ts). Tests of the identity provider also use a real Keycloak, and tests
// of containers a real Docker.
// `npm run test:deep` runs the files *.deep.test.ts instead, which take minutes each, some with Schemathesis.
// Arguments go to vitest: npm test -- packages/runtime
const KEYCLOAK_TESTS = [
  'apps/dashboard/test/keycloak.deep.test.ts',
  'apps/server/src/api/narrow-pages.test.ts',
  'apps/server/src/people/identity/keycloak/keycloak.test.ts',
  'apps/server/src/people/identity/keycloak/people-copy.test.ts',
  'apps/server/src/people/identity/keycloak/unreachable.test.ts',
  'apps/server/src/people/identity/upstream/keycloak.test.ts',
  'test/ket-keycloak.test.ts',
];
const CONTAINER_TESTS = [
  'packages/runtime/src/contract.test.ts',
  'packages/runtime/src/containers.test.ts',
  'packages/runtime/src/hostile-ends.test.ts',
  'packages/runtime/src/build/images.test.ts',
  'packages/runtime/src/escapes/escapes.test.ts',
  'test/containers.test.ts',
  'test/corpus.deep.test.ts',
  'test/faults.deep.test.ts',
  'test/floods.deep.test.ts',
  'test/serve-engine.deep.test.ts',
];
const PODMAN_TEST = 'test/serve-engine.deep.test.ts';
const GIT_CLIENTS = 'test/git-clients.deep.test.ts';
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
const deep = process.argv[2] === '--deep';
const chosen = process.argv.slice(deep ? 3 : 2);

try {
  ensureTools([...runtimeTools, ...testTools, postgresTool], say);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}
const checked = deep || chosen.length > 0 || (await check());
const postgres = await startPostgres({ durable: false });
let keycloak: Keycloak | null = null;
let engine: ContainerEngine | null = null;
let podman: Podman | null = null;
try {
  keycloak = await keycloakForTests();
  engine = await engineForTests();
  podman = await podmanForTests();
  const schemathesis = packagesForTests('test/fuzz.deep.test.ts', 'Schemathesis', 'test/fuzz/requirements.txt');
  const pythonGit = packagesForTests(GIT_CLIENTS, 'dulwich and libgit2', 'test/git-clients/requirements.txt');
  const jgit = jgitForTests();
  const tested = await run('tests', 'vitest', ['run', ...chosen], {
    KETHUB_TEST_POSTGRES_URL: postgres.url,
    ...(deep && { KETHUB_TEST_DEEP: '1' }),
    ...(keycloak && { KETHUB_TEST_KEYCLOAK_URL: keycloak.url }),
    ...(engine && { KETHUB_TEST_CONTAINER_ENGINE: engine.socket }),
    ...(podman && { KETHUB_TEST_PODMAN: podman.socket }),
    ...(schemathesis !== null && { KETHUB_TEST_SCHEMATHESIS: schemathesis }),
    ...(pythonGit !== null && { KETHUB_TEST_PYTHON_GIT: pythonGit }),
    ...(jgit !== null && { KETHUB_TEST_JGIT: jgit }),
  });
  process.exitCode = checked && tested ? 0 : 1;
} finally {
  await keycloak?.stop();
  await engine?.stop();
  await podman?.stop();
  await postgres.stop();
}

/** Starts Keycloak if a chosen test uses it. A machine that cannot fetch it runs all other tests, and says so. */
async function keycloakForTests(): Promise<Keycloak | null> {
  if (!KEYCLOAK_TESTS.some(isChosen)) return null;
  try {
    ensureTools([javaTool], say);
    return await startKeycloak(await fetchKeycloak(say));
  } catch (error) {
    if (!(error instanceof ToolsMissing || error instanceof KeycloakMissing)) throw error;
    say(`${error.message}\nkethub: the tests with a real Keycloak are SKIPPED`);
    return null;
  }
}

/** Starts a container engine of its own, in the same way. */
async function engineForTests(): Promise<ContainerEngine | null> {
  if (!CONTAINER_TESTS.some(isChosen)) return null;
  try {
    ensureTools(containerTools, say);
    return await startContainerEngine();
  } catch (error) {
    if (!(error instanceof ToolsMissing || error instanceof EngineMissing)) throw error;
    say(`${error.message}\nkethub: the tests with a container engine are SKIPPED`);
    return null;
  }
}

/** Starts a Podman without root, in the same way. */
async function podmanForTests(): Promise<Podman | null> {
  if (!isChosen(PODMAN_TEST)) return null;
  try {
    ensureTools(podmanTools, say);
    return await startPodman();
  } catch (error) {
    if (!(error instanceof ToolsMissing || error instanceof EngineMissing)) throw error;
    say(`${error.message}\nkethub: the tests with Podman are SKIPPED`);
    return null;
  }
}

/** The folder of packages of Python that a test uses, in the same way. */
function packagesForTests(file: string, what: string, requirements: string): string | null {
  if (!isChosen(file)) return null;
  try {
    return fetchPackages(what, requirements, say);
  } catch (error) {
    if (!(error instanceof PackagesMissing)) throw error;
    say(`${error.message}\nkethub: the tests with ${what} are SKIPPED`);
    return null;
  }
}

/** The folder of JGit, in the same way. */
function jgitForTests(): string | null {
  if (!isChosen(GIT_CLIENTS)) return null;
  try {
    ensureTools([jdkTool], say);
    return fetchJGit(say);
  } catch (error) {
    if (!(error instanceof ToolsMissing || error instanceof JGitMissing)) throw error;
    say(`${error.message}\nkethub: the tests with JGit are SKIPPED`);
    return null;
  }
}

function isChosen(file: string): boolean {
  if (file.endsWith('.deep.test.ts') !== deep) return false;
  return chosen.length === 0 || chosen.some((part) => file.includes(part));
}
