import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Problem } from '../foundation/http/index.ts';
import type { WholeKethub } from '../kethub.ts';

const PURPOSE = 'demo account';

export interface DemoAccount {
  readonly username: string;
  readonly password: string;
  /** True if it was made just now. */
  readonly isNew: boolean;
}

/** The demo user, made on the first start with a password of its own that is kept sealed in the data folder. */
export async function demoAccount({ platform, identity }: WholeKethub): Promise<DemoAccount> {
  const file = path.join(platform.configuration.dataDir, 'demo.sealed');
  const username = 'demo';
  const isNew = !existsSync(file);
  // Written first: when the start is cut off here, the next one makes the user with this password.
  if (isNew)
    writeFileSync(file, platform.seal.seal(PURPOSE, randomBytes(12).toString('base64url')), {
      mode: 0o600,
      flush: true,
    });
  const password = platform.seal.unseal(PURPOSE, readFileSync(file, 'utf8'));
  try {
    await identity.createUser({
      username,
      email: 'demo@example.org',
      firstname: 'Demo',
      lastname: 'User',
      password,
      status: 'APPROVED',
    });
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'conflict')) throw error;
  }
  return { username, password, isNew };
}
