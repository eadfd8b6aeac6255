import { existsSync } from 'node:fs';
import type { TransferTls } from '@kethub/runtime';
import { Type, type Static, type TObject } from 'typebox';
import { Refusal } from './refusal.ts';

/** TLS of the ports on which pods and batch jobs fetch their input and bring what their program left. */
export const TransferFields = {
  KETHUB_TRANSFER_CERT_FILE: Type.Optional(
    Type.String({
      pattern: '^/',
      description:
        'File with the certificate of this worker (PEM) for `KETHUB_KUBERNETES_PORT` and `KETHUB_SLURM_PORT`. It is read again when it changes. Default: these ports speak HTTP, and a proxy may add TLS.',
    }),
  ),
  KETHUB_TRANSFER_KEY_FILE: Type.Optional(
    Type.String({ pattern: '^/', description: 'File with the key of that certificate (PEM).' }),
  ),
  KETHUB_TRANSFER_CA_FILE: Type.Optional(
    Type.String({
      pattern: '^/',
      description:
        'File with the certificates of the authority of that certificate. Pods and jobs get them. Default: the authorities that their machines know.',
    }),
  ),
};

export type TransferTlsGiven = Static<TObject<typeof TransferFields>>;

/** null without TLS. Throws Refusal for settings that do not fit together. */
export function transferTlsOf(given: TransferTlsGiven, setting: string, url: string): TransferTls | null {
  const { KETHUB_TRANSFER_CERT_FILE: certFile, KETHUB_TRANSFER_KEY_FILE: keyFile } = given;
  const caFile = given.KETHUB_TRANSFER_CA_FILE ?? null;
  if (certFile === undefined && keyFile === undefined && caFile === null) return null;
  if (certFile === undefined || keyFile === undefined)
    throw new Refusal('KETHUB_TRANSFER_CERT_FILE and KETHUB_TRANSFER_KEY_FILE belong together: set both or none.');
  if (!url.startsWith('https:')) throw new Refusal(`${setting} has to begin with https: the port has a certificate.`);
  for (const file of [certFile, keyFile, ...(caFile === null ? [] : [caFile])])
    if (!existsSync(file)) throw new Refusal(`KETHUB_TRANSFER_…_FILE: there is no file ${file}.`);
  return { certFile, keyFile, caFile };
}
