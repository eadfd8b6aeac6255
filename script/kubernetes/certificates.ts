import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Makes a certificate for an address that is its own authority. Returns the files of TLS for it. */
export function makeCertificate(
  folder: string,
  address: string,
): { certFile: string; keyFile: string; caFile: string } {
  const [certFile, keyFile] = [path.join(folder, 'own.crt'), path.join(folder, 'own.key')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=kethub-worker', '-addext', `subjectAltName=IP:${address}`, '-keyout', keyFile, '-out', certFile], { stdio: 'pipe' }); // prettier-ignore
  return { certFile, keyFile, caFile: certFile };
}

/** Makes such a certificate that was valid until yesterday: a clock that is a day ahead sees a fresh one so. */
export function makeExpiredCertificate(folder: string, address: string): { certFile: string; keyFile: string } {
  const at = (name: string): string => path.join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
  writeFileSync(at('expired.ext'), `subjectAltName=IP:${address}`);
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=kethub-worker', '-keyout', at('expired.key'), '-out', at('expired.csr')); // prettier-ignore
  openssl('x509', '-req', '-in', at('expired.csr'), '-signkey', at('expired.key'), '-days', '-1', '-extfile', at('expired.ext'), '-out', at('expired.crt')); // prettier-ignore
  return { certFile: at('expired.crt'), keyFile: at('expired.key') };
}

/**
 * Makes an authority, and the certificates of all parts of a test cluster by it, as `<name>.crt` and `<name>.key`.
 * `service`: address of the API server as pods see it.
 */
export function makeCertificates(folder: string, address: string, service: string): void {
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  openssl('genrsa', '-out', 'accounts.key', '2048');
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-subj',
    '/CN=kethub-test',
    '-days',
    '2',
  );
  const client = 'extendedKeyUsage=clientAuth';
  for (const [name, subject, extension] of [
    ['apiserver', '/CN=kube-apiserver', `subjectAltName=IP:127.0.0.1,IP:${address},IP:${service},DNS:localhost`],
    ['admin', '/O=system:masters/CN=admin', client],
    ['controllers', '/CN=system:kube-controller-manager', client],
    ['scheduler', '/CN=system:kube-scheduler', client],
    ['node', '/O=system:nodes/CN=system:node:node1', client],
    ['kubelet', '/CN=node1', `subjectAltName=IP:${address},DNS:node1`],
  ] as const) {
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
    writeFileSync(path.join(folder, `${name}.ext`), extension);
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-out', `${name}.crt`, '-extfile', `${name}.ext`); // prettier-ignore
  }
}
