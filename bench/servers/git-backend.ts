import { spawn } from 'node:child_process';
import http from 'node:http';
import { once } from 'node:events';
import { untilInputEnds } from './until-input-ends.ts';

// `git http-backend` behind a small CGI server: the repositories in a folder, without any admission. It checks what is
// pushed as the platform does.
const { folder } = JSON.parse(process.argv[2] ?? '{}') as { folder: string };
const HEAD_END = '\r\n\r\n';

const server = http.createServer((request, response) => {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'receive.fsckObjects',
      GIT_CONFIG_VALUE_0: 'true',
      GIT_PROTOCOL: headers['git-protocol']?.toString(),
      REMOTE_USER: 'bench',
      REQUEST_METHOD: request.method,
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: headers['content-type'],
      HTTP_CONTENT_ENCODING: headers['content-encoding'],
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  let head = '';
  const readHead = (chunk: Buffer): void => {
    head += chunk.toString('latin1');
    const end = head.indexOf(HEAD_END);
    if (end < 0) return;
    child.stdout.off('data', readHead);
    const fields = head
      .slice(0, end)
      .split('\r\n')
      .map((line) => line.split(/: */, 2));
    const status = Number(fields.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    for (const [name = '', value = ''] of fields) if (name !== 'Status') response.setHeader(name, value);
    response.writeHead(status);
    response.write(Buffer.from(head.slice(end + HEAD_END.length), 'latin1'));
    child.stdout.pipe(response);
  };
  child.stdout.on('data', readHead);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (typeof address !== 'object' || !address) throw new Error('Not listening');
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })}\n`);
await untilInputEnds();
server.closeAllConnections();
server.close();
