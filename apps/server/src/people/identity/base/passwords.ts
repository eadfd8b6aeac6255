import { hash, verify, type Options } from '@node-rs/argon2';

/** Argon2id, 19 MiB, 2 passes (OWASP password storage cheat sheet): 22 to 24 ms on one core, off the event loop. */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hash of a random password. It is verified for an unknown user, at the same cost. */
const nobody = hash(crypto.randomUUID(), options);

/** The hash of an account without a password: no password matches it. */
export const NO_PASSWORD = '';

/** The hash of a password, to be stored. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), options);
}

/**
 * Returns whether the password is right. Takes the same time for an unknown user (`kept` is null) and for one without a
 * password. So the time does not reveal which names exist.
 */
export async function isPassword(kept: string | null, password: string): Promise<boolean> {
  const known = kept !== null && kept !== NO_PASSWORD;
  const right = await verify(known ? kept : await nobody, normalized(password));
  return right && known;
}

/** Normalizes a password, because keyboards encode the same character differently (NIST SP 800-63B §5.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
