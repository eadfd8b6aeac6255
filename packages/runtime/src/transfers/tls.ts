import { readFileSync } from 'node:fs';

/** Files by which the port for transfers speaks TLS. They are read again when they change, as authorities renew them. */
export interface TransferTls {
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificates of the authority, which pods and batch jobs are given; null for one that their machines know. */
  readonly caFile: string | null;
}

/** Certificate and key, as they are now. @throws when one of them cannot be read. */
export function credentialsOf({ certFile, keyFile }: TransferTls): { cert: string; key: string } {
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

/** The certificates that the other side needs; null when it has them, and without TLS. */
export function certificatesOf(tls: TransferTls | null): string | null {
  return tls?.caFile === null || tls === null ? null : readFileSync(tls.caFile, 'utf8');
}
