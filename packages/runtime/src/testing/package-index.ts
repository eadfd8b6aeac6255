import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A package index of a test: what it serves can change while it runs. */
export interface PackageIndex {
  /** With its credentials, as an operator sets it. */
  readonly url: string;
  /** All of what must never be seen by others. */
  readonly secrets: readonly string[];
  /** Serves files under their names, each as part of the package that its name begins with. */
  files: Map<string, Buffer>;
  /** By name of a file, what its link says besides: attributes of PEP 503, or `sha256` for a hash that is not its own. */
  attributes: Map<string, string>;
  /** Answers everything with this status; 0 is as it should be. */
  status: number;
  close(): Promise<void>;
}

const USER = 'operator-account';
const PASSWORD = 'tok/en-pa55word';
const PATH = '/private-9f3c2a71d0b84e55/simple';

/** Starts one on loopback that lets in only who has its credentials. */
export async function openPackageIndex(): Promise<PackageIndex> {
  const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
  const server = createServer((request, response) => {
    const { status, body = '', headers = {} } = answer(request.url ?? '', request.headers.authorization);
    response.writeHead(status, headers).end(body);
  });
  const answer = (
    url: string,
    given: string | undefined,
  ): { status: number; body?: string | Buffer; headers?: Record<string, string> } => {
    if (given !== authorization) return { status: 401, headers: { 'www-authenticate': 'Basic realm="index"' } };
    if (index.status !== 0) return { status: index.status };
    const last = decodeURIComponent(url.replace(/\/$/, '').split('/').at(-1) ?? '');
    const file = index.files.get(last);
    if (file) return { status: 200, body: file };
    const links = [...index.files].filter(([name]) => name.startsWith(`${last.replaceAll('-', '_')}-`));
    if (links.length === 0) return { status: 404 };
    const rows = links.map(([name, bytes]) => {
      const more = index.attributes.get(name) ?? '';
      const digest = createHash('sha256')
        .update(more === 'sha256' ? 'another file' : bytes)
        .digest('hex');
      return `<a href="../../files/${name}#sha256=${digest}" ${more === 'sha256' ? '' : more}>${name}</a>`;
    });
    const headers = { 'content-type': 'text/html' };
    return { status: 200, headers, body: `<html><body>${rows.join('\n')}</body></html>` };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const encoded = encodeURIComponent(PASSWORD);
  const index: PackageIndex = {
    url: `http://${USER}:${encoded}@127.0.0.1:${port}${PATH}`,
    secrets: [USER, PASSWORD, encoded, PATH, `127.0.0.1:${port}`, String(port), authorization.slice('Basic '.length)],
    files: new Map(),
    attributes: new Map(),
    status: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return index;
}

/** A wheel of one module for every Python, with a line of code and further lines of metadata. */
export async function wheelOf(
  name: string,
  version: string,
  code: string,
  metadata = '',
  module = name,
): Promise<[string, Buffer]> {
  const info = `${name}-${version}.dist-info`;
  const files: Record<string, string> = {
    [`${module}.py`]: `${code}\n`,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${metadata}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: '',
  };
  const zip = new ZipFile();
  for (const [path, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), path);
  zip.end();
  return [`${name}-${version}-py3-none-any.whl`, await buffer(zip.outputStream)];
}
