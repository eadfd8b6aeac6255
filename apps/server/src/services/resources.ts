import { limits, providerCodes, variablesOf, type RuntimeConfiguration } from '@kethub/contract';
import { Problem } from '../http/index.ts';

/** What the sandbox itself sets, or what would change how it runs the code. */
const reserved = /^(PATH|HOME)$|^(KETHUB_|LD_|PYTHON|SECRET_)/;

/** Throws invalid-request naming each environment variable that cannot be set. `at` is where the configuration stands. */
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
  const places = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw new Problem('invalid-request', `These environment variables cannot be set: ${places}.`, { errors });
}

/** Throws resource-unavailable for what no sandbox of this installation can be given: GPUs. */
export function requireResources({ gpu }: RuntimeConfiguration): void {
  if (!gpu) return;
  const wanted = `${gpu.count} GPU${gpu.count === 1 ? '' : 's'}${gpu.type === undefined ? '' : ` (${gpu.type})`}`;
  throw new Problem('resource-unavailable', `The version asks for ${wanted}; this installation has none.`, {
    errors: [{ pointer: '/configuration/gpu', detail: 'no GPU is available on this installation' }],
  });
}
