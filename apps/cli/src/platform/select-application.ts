import type { PlatformClient } from '@kethub/client';
import type { Application } from '@kethub/contract';
import { selectOne } from './select-one.ts';

/** Finds an application by its id, or by a name that only one has. */
export async function selectApplication(platform: PlatformClient, wanted: string): Promise<Application> {
  return selectOne(await platform.listApplications(), wanted, {
    noun: 'application',
    missing: `You have no application "${wanted}".`,
    remedies: ['ket app list', 'ket app create <name>'],
  });
}
