import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** A Git server over https on loopback: `git http-backend` behind TLS, with a certificate of an authority of its own. */
export interface GitHttpsServer {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** File with the certificate of the authority. */
  readonly authority: string;
  /** Folder of the repositories that it serves. */
  readonly root: string;
  /** Basic credentials, `user:password`, that it asks for; null for none. */
  credential: string | null;
  /** Answers requests before Git does; returns false to leave them to Git. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Values of Authorization that were sent. */
  readonly authorizations: string[];
  close(): Promise<void>;
}

/** Starts the server. Its certificate is for these names and 127.0.0.1. */
export async function startGitHttpsServer(names: readonly string[] = []): Promise<GitHttpsServer> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'kethub-git-https-'));
  const authority = makeCertificates(root, names);
  const authorizations: string[] = [];
  const options = {
    key: readFileSync(path.join(root, 'server.key')),
    cert: readFileSync(path.join(root, 'server.pem')),
  };
  const server = https.createServer(options, (request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) authorizations.push(authorization);
    if (made.intercept(request, response)) return;
    const wanted = made.credential && `Basic ${Buffer.from(made.credential).toString('base64')}`;
    if (wanted !== null && authorization !== wanted)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="origin"' }).end('go away');
    else answer(root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const made: GitHttpsServer = {
    url: `https://127.0.0.1:${port}`,
    port,
    authority,
    root,
    credential: null,
    intercept: () => false,
    authorizations,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
  return made;
}

function makeCertificates(folder: string, names: readonly string[]): string {
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Lab CA', '-days', '2');
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=git');
  const alternatives = ['IP:127.0.0.1', ...names.map((name) => `DNS:${name}`)].join(',');
  execFileSync('sh', ['-c', `printf "subjectAltName=${alternatives}" > san`], { cwd: folder });
  const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'san', '-days', '2'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...by);
  return path.join(folder, 'ca.pem');
}

/** Runs `git http-backend` as CGI. */
function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  response.once('close', () => child.kill());
  let head = Buffer.alloc(0);
  let isBody = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (isBody) return response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    isBody = true;
    const fields = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(/: (.*)/s));
    const status = Number(fields.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(
      status,
      Object.fromEntries(fields.filter(([name]) => name !== 'Status')) as Record<string, string>,
    );
    return response.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => response.end());
}
