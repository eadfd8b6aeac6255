import type { RestartImportRequest } from '@kethub/contract';
import type { Platform } from '../../../foundation/platform.ts';
import type { Credential } from './fetch.ts';

const PURPOSE = 'credential of an import';
const USERNAME = 'git';

export function sealCredential({ seal }: Platform, credential: RestartImportRequest['credential']): string | null {
  if (!credential) return null;
  const { username = USERNAME, password } = credential;
  return seal.seal(PURPOSE, JSON.stringify({ username, password }));
}

export function openCredential(
  { seal }: Platform,
  { sealed_credential }: { readonly sealed_credential: string | null },
): Credential | null {
  return sealed_credential === null ? null : (JSON.parse(seal.unseal(PURPOSE, sealed_credential)) as Credential);
}
