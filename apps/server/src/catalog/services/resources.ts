import { limits, providerCodes, variablesOf, type RuntimeConfiguration } from '@kethub/contract';
import { askedText, pythonUnavailable, type AskedPython } from '@kethub/runtime/build';
import { Problem } from '../../foundation/http/index.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import {
  knownCapacities,
  knownPythons,
  lacking,
  lackingForLong,
  someWorkerRunsContainers,
  type Capacity,
  type LongRunLimits,
  type Needs,
} from '../../foundation/workers/index.ts';

/** Names of variables that the sandbox sets itself, or that change how it runs the code. */
const reserved = /^(PATH|HOME)$|^(KETHUB_|LD_|PYTHON|SECRET_)/;

/**
 * Throws invalid-request with each environment variable that cannot be set. `at` is the JSON Pointer of the
 * configuration.
 */
export function requireEnvironment({ environment = {}, providerAccessTokens }: RuntimeConfiguration, at: string): void {
  const ofProviders = new Set(providerAccessTokens ? providerCodes.flatMap(variablesOf) : []);
  const errors = Object.entries(environment).flatMap(([name, value]) => {
    const refuse = (detail: string) => [{ pointer: `${at}/environment/${name}`, detail }];
    if (reserved.test(name)) return refuse('is a reserved name');
    if (ofProviders.has(name)) return refuse('is set from a provider access token');
    return value.includes('\0') ? refuse('holds the character U+0000') : [];
  });
  const bytes = Object.entries(environment).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value),
    0,
  );
  if (bytes > limits.environmentBytes)
    errors.push({ pointer: `${at}/environment`, detail: `has ${bytes} bytes, at most ${limits.environmentBytes}` });
  if (errors.length === 0) return;
  const sentences = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw new Problem('invalid-request', `These environment variables cannot be set: ${sentences}.`, { errors });
}

/** The resources that an execution with this configuration is promised. */
export function needsOf({ cpus, memoryGb, gpu }: RuntimeConfiguration): Needs {
  return { cpus, memoryBytes: Math.round(memoryGb * 2 ** 30), gpus: gpu?.count ?? 0, gpuType: gpu?.type ?? null };
}

/**
 * Throws resource-unavailable for resources that no worker of this installation has. Before a worker has reported its
 * resources, nothing is refused.
 */
export async function requireResources(
  queries: Queries,
  configuration: RuntimeConfiguration,
  longRuns: LongRunLimits,
): Promise<void> {
  const capacities = await knownCapacities(queries);
  if (capacities.length === 0) return;
  const reasons = lacking(needsOf(configuration), capacities);
  if (reasons.length === 0) return requireShare(configuration, capacities, longRuns);
  const details = reasons.map(({ detail }) => detail).join('; ');
  throw new Problem('resource-unavailable', `The version cannot run on this installation: ${details}.`, {
    errors: reasons.map(({ member, detail }) => ({ pointer: `/configuration/${member}`, detail })),
  });
}

/**
 * Throws resource-unavailable for a version that may run long and needs more of a machine than long executions may
 * take. Its executions would wait for ever.
 */
function requireShare(
  configuration: RuntimeConfiguration,
  capacities: readonly Capacity[],
  longRuns: LongRunLimits,
): void {
  const { runTimeSeconds } = configuration;
  const reasons = lackingForLong(needsOf(configuration), runTimeSeconds, capacities, longRuns);
  if (reasons.length === 0) return;
  const { longRunSeconds, longRunShare } = longRuns;
  const details = reasons.map(({ detail }) => detail).join('; ');
  throw new Problem(
    'resource-unavailable',
    `The version may run ${runTimeSeconds} seconds. A version that may run longer than ${longRunSeconds} seconds gets at most ${Math.round(longRunShare * 100)} % of a machine. Within this share: ${details}. Configure at most ${longRunSeconds} seconds, or less of the machine. The operator can change KETHUB_OWNER_LONG_RUN_PERCENT.`,
    { errors: reasons.map(({ member, detail }) => ({ pointer: `/configuration/${member}`, detail })) },
  );
}

/**
 * Throws invalid-archive for a source that asks for a Python which no worker has, if its configuration names none.
 * Until workers have reported their versions, the build decides.
 */
export async function requirePython(
  queries: Queries,
  asked: AskedPython | null,
  { runtime, python }: RuntimeConfiguration,
): Promise<void> {
  if (asked === null || runtime !== 'PYTHON_TEMPLATE' || python !== undefined) return;
  const versions = await knownPythons(queries);
  if (versions === null || versions.some(asked.fits)) return;
  const detail = pythonUnavailable(asked, versions);
  throw new Problem('invalid-archive', `${detail} Or choose one in the configuration of the service: \`python\`.`, {
    errors: [{ pointer: '/source', detail: askedText(asked) }],
  });
}

/** Throws resource-unavailable for a runtime that no worker has. `at` is the JSON Pointer of the configuration. */
export async function requireRuntime(queries: Queries, configuration: RuntimeConfiguration, at: string): Promise<void> {
  if (configuration.runtime !== 'DOCKER') return;
  if (await someWorkerRunsContainers(queries)) return;
  throw new Problem(
    'resource-unavailable',
    'This installation has no container engine, which services of the runtime DOCKER need. Its operator can install one: apt-get install docker.io busybox-static, on the machine of a worker. Services of the runtime PYTHON_TEMPLATE do without.',
    { errors: [{ pointer: `${at}/runtime`, detail: 'no worker of this installation can run containers' }] },
  );
}
