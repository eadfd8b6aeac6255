import { createIdentity } from '../people/identity/index.ts';
import type { Configuration } from '../foundation/config/index.ts';
import type { Platform } from '../foundation/platform.ts';
import { openDataFolder } from '../foundation/process/index.ts';
import { openPlatform } from '../kethub.ts';
import { signInTo, type SignedIn } from './kethub.ts';
import { testLog } from './log.ts';

/** The base of a platform whose processes run elsewhere, on the same database, store and keys. */
export interface OpenedPlatform {
  readonly platform: Platform;
  /** Another approved person. */
  signIn(username: string): Promise<SignedIn>;
  close(): Promise<void>;
}

/** Opens a platform that others run, to make people in it. The configuration names its public addresses. */
export async function openTestPlatform(configuration: Configuration): Promise<OpenedPlatform> {
  openDataFolder(configuration.dataDir);
  const platform = await openPlatform(configuration, { api: 0, gateway: 0 }, testLog);
  const identity = await createIdentity(platform);
  return {
    platform,
    signIn: (username) => signInTo(platform, identity, username),
    async close() {
      await identity.close();
      await platform.database.close();
    },
  };
}
