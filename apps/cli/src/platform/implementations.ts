import type { Implementation } from '@kethub/contract';
import { selectOne } from './select-one.ts';
import type { Session } from './session.ts';

/** Finds an implementation by its name or id. */
export async function selectImplementation({ platform }: Session, wanted: string): Promise<Implementation> {
  return selectOne(await platform.listImplementations(), wanted, {
    noun: 'implementation',
    missing: `No implementation "${wanted}" is yours or shared with you.`,
    remedies: ['ket repo list', 'ket repo create <name>'],
  });
}
