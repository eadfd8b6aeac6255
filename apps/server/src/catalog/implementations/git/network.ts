import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { GitSettings } from './environment.ts';
import type { Binding } from './sandbox.ts';

/** The way to the network of one Git process. Others have none. */
export interface GitNetwork {
  /** Folder with the socket of the proxy, `proxy.sock`. */
  readonly folder: string;
  /** File with the certificates of the authorities that are trusted. */
  readonly certificates: string;
}

const SOCKET = 'proxy.sock';
const PROGRAM = path.join(import.meta.dirname, 'through-proxy.mts');
/** Paths in the sandbox. */
const INSIDE = {
  node: '/kethub/node',
  program: '/kethub/through-proxy.mts',
  proxy: '/kethub/proxy',
  certificates: '/kethub/certificates.pem',
};

/** The files that a sandbox sees of the proxy. */
export function networkBindings({ folder, certificates }: GitNetwork): readonly Binding[] {
  return [
    { from: realpathSync(process.execPath), to: INSIDE.node },
    { from: PROGRAM, to: INSIDE.program },
    { from: folder, to: INSIDE.proxy },
    { from: certificates, to: INSIDE.certificates },
  ];
}

/** The command that starts the next one with the proxy as its way to the network. */
export function networkCommand({ folder }: GitNetwork, sandboxed: boolean): readonly [string, ...string[]] {
  return sandboxed
    ? [INSIDE.node, INSIDE.program, path.join(INSIDE.proxy, SOCKET)]
    : [process.execPath, PROGRAM, path.join(folder, SOCKET)];
}

/** Settings of a Git process that reaches one server over https, and nothing else. */
export function networkSettings({ certificates }: GitNetwork, sandboxed: boolean): GitSettings {
  return [
    ['protocol.https.allow', 'always'],
    ['http.followRedirects', 'false'],
    ['http.sslVerify', 'true'],
    ['http.sslCAInfo', sandboxed ? INSIDE.certificates : certificates],
    // Bytes a second, and seconds below them after which a transfer is given up.
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '300'],
    ['credential.helper', ''],
    ['fetch.fsckObjects', 'true'],
    // Old but harmless forms that many histories have.
    ['fetch.fsck.zeroPaddedFilemode', 'ignore'],
    ['fetch.fsck.badTimezone', 'ignore'],
    ['fetch.fsck.missingSpaceBeforeDate', 'ignore'],
    ['fetch.unpackLimit', '1'],
    ['fetch.writeCommitGraph', 'false'],
    ['fetch.recurseSubmodules', 'false'],
    ['transfer.bundleURI', 'false'],
  ];
}
