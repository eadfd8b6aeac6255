import type { Implementation } from '@kethub/contract';
import { CliFailure } from '../failures.ts';
import type { Session } from './session.ts';

/** Finds an implementation by its name or id. */
export async function selectImplementation({ platform }: Session, wanted: string): Promise<Implementation> {
  const all = await platform.listImplementations();
  const meant = all.filter(({ id, name }) => id === wanted || name === wanted.toLowerCase());
  const [found, other] = meant;
  if (found && !other) return found;
  if (found) {
    const ids = meant.map(({ id }) => id).join(', ');
    throw new CliFailure(
      'usage',
      'ambiguous',
      `More than one implementation is named "${wanted}": ${ids}. Name one by its id.`,
    );
  }
  const names = all.map(({ name }) => name).join(', ');
  const known = names === '' ? ' You have none yet.' : ` There is: ${names}.`;
  throw new CliFailure('notFound', 'not-found', `No implementation "${wanted}" is yours or shared with you.${known}`, [
    'ket repo list',
    'ket repo create <name>',
  ]);
}
