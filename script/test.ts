import { containerTools, EngineMissing, startContainerEngine } from './container-engine.ts';
import { fetchJGit, jdkTool, JGitMissing } from './jgit.ts';
import { fetchKeycloak, javaTool, KeycloakMissing, startKeycloak } from './keycloak.ts';
import { podmanTools, startPodman } from './podman.ts';
import { postgresTool, startPostgres } from './postgres.ts';
import { fetchPackages, PackagesMissing } from './python-packages.ts';
import { run } from './run.ts';
import { check } from './static-checks.ts';
import { ensureTools, runtimeTools, testTools, ToolsMissing } from './system-tools.ts';
import { chooseNothing, testFilesWith } from './test-files.ts';

// `npm test`: installs missing tools, checks the code, and runs the tests on SQLite and on a real PostgreSQL (which files
// run on both: apps/server/src/testing/databases.ts). Tests of containers also use a real Docker, and deep tests of the
// identity provider a real Keycloak.
// `npm run test:deep` runs the files *.deep.test.ts instead, which take minutes each, some with Schemathesis. A run has a
// quarter of them, by chance.
// Arguments go to vitest: npm test -- packages/runtime

// Tests for which a run starts something, by the words with which they ask for it: a variable, or a helper that reads it.
const testsWith = testFilesWith({
  keycloak: /hasKeycloak/,
  containers: /KETHUB_TEST_CONTAINER_ENGINE|testEngine/,
  podman: /KETHUB_TEST_PODMAN/,
  pythonGit: /KETHUB_TEST_PYTHON_GIT/,
  jgit: /KETHUB_TEST_JGIT/,
  fuzz: /fuzz\/schemathesis\.ts/,
});
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);
const deep = process.argv[2] === '--deep';
const chosen = process.argv.slice(deep ? 3 : 2);
const seed = Number(process.env['KETHUB_TEST_SEED'] ?? Date.now() % 1_000_000);

const missed = chooseNothing(chosen, deep ? 'deep' : 'usual');
if (missed.length > 0) {
  for (const line of missed) say(line);
  process.exit(1);
}
try {
  ensureTools([...runtimeTools, ...testTools, postgresTool], say);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}
/** Ends what has been started, the last first. */
const stops: (() => Promise<void>)[] = [];
// The servers are fetched and started beside the check: downloads wait, and most starts use one processor.
const servers = Promise.allSettled([postgresForTests(), keycloakForTests(), engineForTests(), podmanForTests()]);
try {
  const checked = deep || chosen.length > 0 || (await check());
  const [postgres, keycloak, engine, podman] = (await servers).map((started) => {
    if (started.status === 'rejected') throw started.reason;
    return started.value;
  });
  const schemathesis = packagesForTests(testsWith.fuzz, 'Schemathesis', 'test/fuzz/requirements.txt');
  const pythonGit = packagesForTests(testsWith.pythonGit, 'dulwich and libgit2', 'test/git-clients/requirements.txt');
  const jgit = jgitForTests();
  say(`seed ${seed}; KETHUB_TEST_SEED=${seed} repeats what this run leaves to chance`);
  const tested = await run('tests', 'vitest', ['run', ...chosen, ...quarter()], {
    ...(deep && { KETHUB_TEST_DEEP: '1' }),
    KETHUB_TEST_SEED: String(seed),
    ...(postgres && { KETHUB_TEST_POSTGRES_URL: postgres }),
    ...(keycloak && { KETHUB_TEST_KEYCLOAK_URL: keycloak }),
    ...(engine && { KETHUB_TEST_CONTAINER_ENGINE: engine }),
    ...(podman && { KETHUB_TEST_PODMAN: podman }),
    ...(schemathesis !== null && { KETHUB_TEST_SCHEMATHESIS: schemathesis }),
    ...(pythonGit !== null && { KETHUB_TEST_PYTHON_GIT: pythonGit }),
    ...(jgit !== null && { KETHUB_TEST_JGIT: jgit }),
  });
  process.exitCode = checked && tested ? 0 : 1;
} finally {
  await servers;
  for (const stop of stops.toReversed()) await stop();
}

async function postgresForTests(): Promise<string> {
  const { url, stop } = await startPostgres({ durable: false, say });
  stops.push(stop);
  return url;
}

/** The quarter of the deep tests that this run has. Nobody who chooses files or asks for a thorough run misses one. */
function quarter(): string[] {
  if (!deep || chosen.length > 0 || process.env['KETHUB_TEST_THOROUGH'] === '1') return [];
  const own = (seed % 4) + 1;
  say(`this run has the quarter ${own}/4 of the deep tests; npm run test:deep -- --shard=1/4 runs a chosen one, KETHUB_TEST_THOROUGH=1 all of them`); // prettier-ignore
  return [`--shard=${own}/4`];
}

/** Starts Keycloak if a chosen test uses it. A machine that cannot fetch it runs all other tests, and says so. */
async function keycloakForTests(): Promise<string | null> {
  if (!testsWith.keycloak.some(isChosen)) return null;
  try {
    ensureTools([javaTool], say);
    const { url, stop } = await startKeycloak(await fetchKeycloak(say));
    stops.push(stop);
    return url;
  } catch (error) {
    if (!(error instanceof ToolsMissing || error instanceof KeycloakMissing)) throw error;
    say(`${error.message}\nkethub: the tests with a real Keycloak are SKIPPED`);
    return null;
  }
}

/** Starts a container engine of its own, in the same way. */
async function engineForTests(): Promise<string | null> {
  if (!testsWith.containers.some(isChosen)) return null;
  try {
    ensureTools(containerTools, say);
    const { socket, stop } = await startContainerEngine();
    stops.push(stop);
    return socket;
  } catch (error) {
    if (!(error instanceof ToolsMissing || error instanceof EngineMissing)) throw error;
    say(`${error.message}\nkethub: the tests with a container engine are SKIPPED`);
    return null;
  }
}

/** Starts a Podman without root, in the same way. */
async function podmanForTests(): Promise<string | null> {
  if (!testsWith.podman.some(isChosen)) return null;
  try {
    ensureTools(podmanTools, say);
    const { socket, stop } = await startPodman();
    stops.push(stop);
    return socket;
  } catch (error) {
    if (!(error instanceof ToolsMissing || error instanceof EngineMissing)) throw error;
    say(`${error.message}\nkethub: the tests with Podman are SKIPPED`);
    return null;
  }
}

/** The folder of packages of Python that tests use, in the same way. */
function packagesForTests(files: readonly string[], what: string, requirements: string): string | null {
  if (!files.some(isChosen)) return null;
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
  if (!testsWith.jgit.some(isChosen)) return null;
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
  const parts = chosen.filter((part) => !part.startsWith('-'));
  return parts.length === 0 || parts.some((part) => file.includes(part));
}
