import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A package index for tests. Its content can change while it runs. */
export interface PackageIndex {
  /** Its address with the credentials, as an operator configures it. */
  readonly url: string;
  /** Texts that nobody else may ever see. */
  readonly secrets: readonly string[];
  /** Files by name. Each belongs to the package with which its name begins. */
  files: Map<string, Buffer>;
  /** Additions to the link of a file, by its name: attributes of PEP 503, or `sha256` for a wrong hash. */
  attributes: Map<string, string>;
  /** Answers everything with this status. 0 is normal operation. */
  status: number;
  close(): Promise<void>;
}

const USER = 'operator-account';
const PASSWORD = 'tok/en-pa55word';
const PATH = '/private-9f3c2a71d0b84e55/simple';

/** Starts an index on loopback that requires its credentials. */
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
