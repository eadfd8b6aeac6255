import type { PlatformClient } from '@kethub/client';
import type { Application } from '@kethub/contract';
import { CliFailure } from '../failures.ts';

/** Finds an application by its id, or by a name that only one has. */
export async function selectApplication(platform: PlatformClient, wanted: string): Promise<Application> {
  const all = await platform.listApplications();
  const meant = all.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  const [found, other] = meant;
  if (found && !other) return found;
  if (found) {
    const ids = meant.map(({ id }) => id).join(', ');
    throw new CliFailure(
      'usage',
      'ambiguous',
      `More than one application is named "${wanted}": ${ids}. Name one by its id.`,
    );
  }
  const names = all.map(({ name }) => name).join(', ');
  const known = names === '' ? ' You have none yet.' : ` There is: ${names}.`;
  throw new CliFailure('notFound', 'not-found', `You have no application "${wanted}".${known}`, [
    'ket app list',
    'ket app create <name>',
  ]);
}
