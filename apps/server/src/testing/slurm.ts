import { makeCertificate } from '../../../../script/kubernetes/certificates.ts';
import type { Slurm } from '../../../../script/slurm.ts';
import type { Settings } from './child-process.ts';
import { freePort } from '../../../../script/free-port.ts';

/**
 * Settings of a platform whose executions are jobs of this Slurm. The user of the jobs cannot enter the data folder, and
 * this machine asks Slurm over HTTP only. The certificate is made in the folder.
 */
export async function slurmSettings(slurm: Slurm, folder: string): Promise<Settings> {
  const tls = makeCertificate(folder, '127.0.0.1');
  const port = await freePort();
  return {
    KETHUB_SLURM: 'on',
    KETHUB_SLURM_USER: String(slurm.uid),
    KETHUB_SLURM_OPTIONS: '--partition=main',
    KETHUB_SLURM_URL: `https://127.0.0.1:${port}`,
    KETHUB_SLURM_PORT: String(port),
    KETHUB_SLURM_REST_URL: slurm.rest.url,
    KETHUB_SLURM_REST_TOKEN_FILE: slurm.rest.tokenFile,
    KETHUB_TRANSFER_CERT_FILE: tls.certFile,
    KETHUB_TRANSFER_KEY_FILE: tls.keyFile,
    KETHUB_TRANSFER_CA_FILE: tls.caFile,
  };
}
