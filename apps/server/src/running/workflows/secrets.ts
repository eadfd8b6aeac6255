import type { Platform } from '../../foundation/platform.ts';

const PURPOSE = 'workflow secrets';

export function sealSecrets({ seal }: Pick<Platform, 'seal'>, secrets: Readonly<Record<string, string>>): string {
  return seal.seal(PURPOSE, JSON.stringify(secrets));
}

export function unsealSecrets({ seal }: Pick<Platform, 'seal'>, sealed: string): Readonly<Record<string, string>> {
  return JSON.parse(seal.unseal(PURPOSE, sealed)) as Record<string, string>;
}
