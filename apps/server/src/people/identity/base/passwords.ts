import { hash, verify, type Options } from '@node-rs/argon2';

/** Argon2id, 19 MiB, 2 passes (OWASP password storage cheat sheet): 22 to 24 ms on one core, off the event loop. */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified when there is no such user: the hash of a password that nobody knows, at the same cost. */
const nobody = hash(crypto.randomUUID(), options);

/** The hash of an account without a password: no password matches it. */
export const NO_PASSWORD = '';

/** The hash to keep of a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), options);
}

/**
 * Whether the password is right. Takes the same time for a user that does not exist (`kept` null) or has none, so that
 * names cannot be probed.
 */
export async function isPassword(kept: string | null, password: string): Promise<boolean> {
  const known = kept !== null && kept !== NO_PASSWORD;
  const right = await verify(known ? kept : await nobody, normalized(password));
  return right && known;
}

/** Keyboards differ in how they encode the same character (NIST SP 800-63B §5.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
