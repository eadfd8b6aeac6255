import type { DataPool } from '@kethub/contract';
import { usageFailure } from '../failures.ts';
import { membersOf, objectOf, type JsonText } from '../json.ts';
import { selectOne } from './select-one.ts';
import type { Session } from './session.ts';

/** Finds a data pool by its name or id. */
export async function selectDataPool({ platform }: Session, wanted: string): Promise<DataPool> {
  return selectOne(await platform.listDataPools(), wanted, {
    noun: 'data pool',
    missing: `No data pool "${wanted}" is yours or shared with you.`,
    remedies: ['ket datapool list', 'ket datapool create <name>'],
  });
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
