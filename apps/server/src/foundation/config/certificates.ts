import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Refusal } from './refusal.ts';

/** Reads a file of certificates in PEM; null without one. Throws Refusal, which names `setting`. */
export function certificatesOf(setting: string, file: string | undefined): string | null {
  if (file === undefined) return null;
  try {
    const pem = readFileSync(file, 'utf8');
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it holds no certificate in PEM');
    createSecureContext({ ca: pem });
    return pem;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`${setting}=${file} cannot be used: ${reason}.`);
  }
}
