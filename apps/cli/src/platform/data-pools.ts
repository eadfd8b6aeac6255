import type { DataPool } from '@kethub/contract';
import { CliFailure, usageFailure } from '../failures.ts';
import { membersOf, objectOf, type JsonText } from '../json.ts';
import type { Session } from './session.ts';

/** Finds a data pool by its name or id. */
export async function selectDataPool({ platform }: Session, wanted: string): Promise<DataPool> {
  const pools = await platform.listDataPools();
  const meant = pools.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  const [found, other] = meant;
  if (found && !other) return found;
  if (found) {
    const ids = meant.map(({ id }) => id).join(', ');
    throw new CliFailure(
      'usage',
      'ambiguous',
      `More than one data pool is named "${wanted}": ${ids}. Name one by its id.`,
    );
  }
  const names = pools.map(({ name }) => name).join(', ');
  const known = names === '' ? ' You have none yet.' : ` There is: ${names}.`;
  throw new CliFailure('notFound', 'not-found', `No data pool "${wanted}" is yours or shared with you.${known}`, [
    'ket datapool list',
    'ket datapool create <name>',
  ]);
}

/** Adds references to data pools to an input, each given as `parameter=pool`. */
export async function addReferences(session: Session, input: JsonText, given: readonly string[]): Promise<JsonText> {
  if (given.length === 0) return input;
  const members = membersOf(input.text, 'The input');
  for (const text of given) {
    const [, parameter, pool] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (parameter === undefined || pool === undefined)
      throw usageFailure('--data-pool takes parameter=pool.', 'ket run --data-pool graphs=<name or id>');
    const { id } = await selectDataPool(session, pool);
    members.set(parameter, JSON.stringify({ id, ref: 'DATAPOOL' }));
  }
  return objectOf(members);
}
