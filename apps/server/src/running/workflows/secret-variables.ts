import type { InputParameters } from '@kethub/service-api';
import { isAmong, type Queries } from '../../foundation/storage/index.ts';
import { requireSealed as requireSealedInput, type Workflows } from '../executions/index.ts';

/**
 * Number of published versions against whose secrets variables are checked, newest first. Older ones are not checked.
 */
const VERSIONS = 50;

/**
 * Throws invalid-secrets for variables in clear under the name of a secret, as the input of a start is refused:
 * variables are stored and shown. Null counts as absent. A name that is given in `$secrets` as well may have both.
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
  requireSealedInput(
    clear.map(([name]) => name),
    remedy,
    ['variables'],
  );
}

/**
 * Throws invalid-secrets for variables under the name of a secret of a published version of these services. A message
 * or signal is stored until instances take it.
 */
export async function requireSealed(
  queries: Queries,
  workflows: Pick<Workflows, 'parameters'>,
  serviceIds: readonly string[],
  variables: Readonly<Record<string, unknown>> | undefined,
  remedy: string,
): Promise<void> {
  if (variables === undefined) return;
  const versions = await queries
    .selectFrom('service_versions')
    .select('id')
    .where(isAmong(queries, 'service_id', serviceIds))
    .where('state', '=', 'PUBLISHED')
    .orderBy('id', 'desc')
    .limit(VERSIONS)
    .execute();
  const parameters = await Promise.all(versions.map(({ id }) => workflows.parameters(id)));
  requireNoSecrets(variables, parameters, remedy);
}
