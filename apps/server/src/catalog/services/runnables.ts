import path from 'node:path';
import { limits as contractLimits, type RuntimeConfiguration } from '@kethub/contract';
import type { Code, ContainerImage, Limits, WarmPodsWish } from '@kethub/runtime';
import type { BuildRequest } from '@kethub/runtime/build';
import type { Platform } from '../../foundation/platform.ts';
import type { Builders, Built, BuiltImage, BuildOutcome, EnvironmentLock } from './builder.ts';
import { hostsWithPorts } from './hosts.ts';
import { needsOf } from './resources.ts';
import { originIn, type SourceOrigin } from './source.ts';

/** A service version in the form that the runtime runs. */
export interface Runnable {
  readonly code: Code | ContainerImage;
  readonly environment: Record<string, string>;
  readonly limits: Limits;
  /** The hosts that it may call, as `host:port`. */
  readonly hosts: string[];
  /** True if it may run in a warm process. */
  readonly warm: boolean;
  /** Pods that wait for its executions; null for none. */
  readonly warmPods: WarmPodsWish | null;
  /** True if it gets the provider access tokens of its owner. */
  readonly providerAccessTokens: boolean;
  /** SHA-256 of the uploaded ZIP. */
  readonly digest: string;
  /** The commit that the ZIP was taken from; null for an upload. */
  readonly origin: SourceOrigin | null;
  readonly lock: EnvironmentLock;
}

export interface Runnables {
  /** Loads a version, from a cache if possible. Throws when the version is gone or has not been built. */
  load(serviceVersionId: string): Promise<Runnable>;
  /**
   * Invalidates the cached version after a failed start: the next load checks whether the code is still on this
   * machine.
   */
  invalidate(serviceVersionId: string): void;
}

/** Bytes of /tmp of one execution. Beyond them the program gets an error. */
const TMP_BYTES = 256 * 1024 * 1024;
/** Processes of one execution. Beyond them the program cannot start another one. */
const PROCESSES = 128;
/** Published versions cached. They never change; one more empties the cache. */
const MAX_CACHED = 1_000;

/**
 * Loads service versions to run. Builds those anew that are not on this machine (a moved database, a cleared cache).
 */
export function createRunnables(platform: Platform, builders: Builders): Runnables {
  const cached = new Map<string, Runnable>();
  const rebuilding = new Map<string, Promise<Built>>();
  /** Executions of one version that begin together wait for one build of it. */
  const rebuildOnce = (id: string, built: Built, row: SourceOf): Promise<Built> => {
    const work = rebuilding.get(id) ?? rebuild(platform, builders, built, row).finally(() => rebuilding.delete(id));
    rebuilding.set(id, work);
    return work;
  };
  return {
    async load(serviceVersionId) {
      const before = cached.get(serviceVersionId);
      if (before) return before;
      const row = await platform.database.read
        .selectFrom('service_versions')
        .innerJoin('services', 'services.id', 'service_versions.service_id')
        .select(['state', 'configuration', 'code', 'source_blob', 'source_digest', 'owner_id'])
        .select(['source_implementation_id', 'source_ref', 'source_commit'])
        .where('service_versions.id', '=', serviceVersionId)
        .executeTakeFirst();
      if (!row?.code) throw new Error(`Service version ${serviceVersionId} is gone or has not been built`);
      const known = JSON.parse(row.code) as Built;
      const built = (await isPresent(builders, known)) ? known : await rebuildOnce(serviceVersionId, known, row);
      if (built !== known && !('resolved' in known)) await keepCode(platform, serviceVersionId, row.code, built);
      const configuration = JSON.parse(row.configuration) as RuntimeConfiguration;
      const lock = await lockOf(builders, built);
      const { source_digest: digest } = row;
      const { warmPods: most = 0 } = configuration;
      const warmPods = most === 0 ? null : { owner: row.owner_id, version: serviceVersionId, most };
      const runnable = { ...toRunnable(platform, built, configuration), warmPods, digest, origin: originIn(row), lock };
      if (cached.size >= MAX_CACHED) cached.clear();
      if (row.state !== 'DRAFT') cached.set(serviceVersionId, runnable);
      return runnable;
    },
    invalidate: (serviceVersionId) => void cached.delete(serviceVersionId),
  };
}

function isPresent(builders: Builders, built: Built): Promise<boolean> {
  return 'image' in built ? imageBuilder(builders).isPresent(built) : builders.PYTHON_TEMPLATE.isPresent(built);
}

function lockOf(builders: Builders, built: Built): Promise<EnvironmentLock> {
  return 'image' in built ? imageBuilder(builders).lockOf(built) : builders.PYTHON_TEMPLATE.lockOf(built);
}

function imageBuilder({ DOCKER }: Builders): NonNullable<Builders['DOCKER']> {
  if (DOCKER === null) throw new Error('This worker has neither a container engine nor a registry');
  return DOCKER;
}

interface SourceOf {
  readonly source_blob: string;
  readonly source_digest: string;
}

async function rebuild(platform: Platform, builders: Builders, built: Built, row: SourceOf): Promise<Built> {
  const { stream } = await platform.blobs.get(row.source_blob);
  const builder = 'image' in built ? imageBuilder(builders) : builders.PYTHON_TEMPLATE;
  const outcome: BuildOutcome = await builder
    .build(stream, row.source_digest, () => undefined, new AbortController().signal, requestOf(built))
    .finally(() => stream.destroy());
  if (!outcome.ok)
    throw new Error(`The code is missing on this machine and could not be built again: ${outcome.problem.detail}`);
  return outcome.built;
}

/**
 * Stores the lock of a version that was built before locks were stored, so that the next rebuild installs the same
 * files. Stores an image of a registry that was built in the place of one of an engine.
 */
async function keepCode(platform: Platform, id: string, before: string, built: Built): Promise<void> {
  if ('image' in built) {
    // An image of an engine has the same name again; one of a registry has another digest with each build.
    if (built.command === undefined) return;
    const { parameters: _parameters, result: _result, ...code } = built;
    return replaceCode(platform, id, before, { code: JSON.stringify(code) });
  }
  const { source, layer, resolved, python, imports } = built;
  return replaceCode(platform, id, before, {
    code: JSON.stringify({ source, layer, resolved, python, imports }),
    layer,
  });
}

async function replaceCode(
  platform: Platform,
  id: string,
  before: string,
  values: { code: string; layer?: string | null },
): Promise<void> {
  await platform.database.write((transaction) =>
    transaction.updateTable('service_versions').set(values).where('id', '=', id).where('code', '=', before).execute(),
  );
}

/** The request that builds with the same packages as before, although the index may have newer ones. */
function requestOf(built: Built): BuildRequest {
  if ('image' in built) return {};
  const sourcePackages = (built.resolved?.sources ?? []).length > 0;
  return { resolved: built.resolved ?? null, python: built.python ?? null, sourcePackages };
}

function imageOf({ image, command, volumes }: BuiltImage): ContainerImage {
  return { image, ...(command && { command }), ...(volumes && { volumes }) };
}

function toRunnable(
  platform: Platform,
  built: Built,
  configuration: RuntimeConfiguration,
): Omit<Runnable, 'warmPods' | 'digest' | 'origin' | 'lock'> {
  const folder = path.join(platform.configuration.dataDir, 'runtime');
  const limits: Limits = {
    memoryBytes: needsOf(configuration).memoryBytes,
    cpus: configuration.cpus,
    processes: PROCESSES,
    runTimeMs: configuration.runTimeSeconds * 1000,
    tmpBytes: TMP_BYTES,
    fileBytes: contractLimits.outputBytes,
    outputBytes: contractLimits.outputBytes,
    outputFiles: contractLimits.outputFiles,
    resultBytes: contractLimits.resultBytes,
    logBytes: contractLimits.logBytes,
  };
  const code: Runnable['code'] =
    'image' in built
      ? imageOf(built)
      : {
          sourceDir: path.join(folder, built.source),
          layerDir: built.layer === null ? null : path.join(folder, built.layer),
          imports: built.imports,
          ...(built.python !== undefined && { python: built.python }),
        };
  const { environment = {}, providerAccessTokens = false, hosts, warmStart: warm = true } = configuration;
  return { code, environment, limits, hosts: hostsWithPorts(hosts), warm, providerAccessTokens };
}
