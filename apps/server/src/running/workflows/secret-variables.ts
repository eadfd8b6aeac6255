import type { InputParameters } from '../../catalog/services/index.ts';
import { requireSealed } from '../executions/index.ts';

/**
 * Throws invalid-secrets for variables in clear under the name of a secret, as the input of a start is refused: variables are
 * stored and shown. Null counts as absent. A name that is given in `$secrets` as well may have both.
 */
export function requireNoSecrets(
  variables: Readonly<Record<string, unknown>>,
  parameters: readonly InputParameters[],
  remedy: string,
): void {
  const secrets = new Set(parameters.flatMap((one) => one.secrets));
  const given = Object.keys(variables['$secrets'] ?? {});
  const clear = Object.entries(variables).filter(
    ([name, value]) => value !== null && secrets.has(name) && !given.includes(name),
  );
  requireSealed(
    clear.map(([name]) => name),
    remedy,
    ['variables'],
  );
}
