import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS, MiB, openBench, resultOf, until, type Bench } from '../testing/bench.ts';

let bench: Bench;
let server: Server;
let port: number;
const requests: string[] = [];
beforeAll(async () => {
  bench = await openBench({ serviceNetworks: ['127.0.0.2/32', '169.254.0.0/16'], warmBytes: 256 * MiB });
  server = createServer((request, response) => {
    requests.push(`${request.headers.host} ${request.url}`);
    void buffer(request).then((body) => response.end(body.length > 0 ? body : 'hello'));
  }).listen(0, '0.0.0.0');
  await new Promise((resolve) => server.once('listening', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  await bench.close();
  server.close();
});

const PROGRAM = `
import http.client, os, urllib.error, urllib.request

def get(url, data=None):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=20).read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode().strip()}"
    except OSError as error:
        return f"no: {error}"

def tunnel(host, port, path="/tunnel"):
    connection = http.client.HTTPConnection("127.0.0.1", 3128, timeout=20)
    connection.set_tunnel(host, port)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    except OSError as error:
        return f"no: {error}"
`;
const program = (body: string): string => `${PROGRAM}\ndef run(port):\n    return ${body}\n`;
const hosts = (): string[] => [`127.0.0.2:${port}`, `127.0.0.3:${port}`, '169.254.169.254:80'];

test('a service reaches the hosts that its version declares, by plain requests and by CONNECT', async () => {
  const body = '[get(f"http://127.0.0.2:{port}/plain?q=1"), tunnel("127.0.0.2", port), os.path.exists("/run/kethub/proxy.sock")]';
  expect(await bench.result(program(body), { hosts: hosts(), input: { port } })).toEqual(['hello', 'hello', true]);
  expect(requests.splice(0)).toEqual([`127.0.0.2:${port} /plain?q=1`, `127.0.0.2:${port} /tunnel`]);
}); // prettier-ignore

test('megabytes go both ways, on several connections at once', async () => {
  const body = `(lambda pool: [len(one) for one in pool.map(lambda _: get(f"http://127.0.0.2:{port}/", b"x" * 3_000_000), range(6))])(__import__("concurrent.futures").futures.ThreadPoolExecutor(6))`;
  expect(await bench.result(program(body), { hosts: hosts(), input: { port } })).toEqual(Array(6).fill(3_000_000));
  requests.splice(0);
});

test.each([
  ['another host', 'get("http://example.org/")', /403 .*has not declared example.org:80/],
  ['another port', 'tunnel("127.0.0.2", 22)', /403/],
  ['the same machine by another name', 'tunnel("localhost", port)', /403/],
  ['an address in another notation', 'tunnel("2130706434", port)', /403/],
  ['a private address that is declared and not opened', 'tunnel("127.0.0.3", port)', /403/],
  ['the metadata service, also when it is declared and its network opened', 'tunnel("169.254.169.254", 80)', /403/],
])('%s is refused, in the log of the execution', async (_what, body, answer) => {
  const end = await bench.run(program(body), { hosts: hosts(), input: { port } });
  expect(JSON.stringify(resultOf(end))).toMatch(answer);
  const lines = (await bench.log(end.executionId)).map(({ severity, message }) => `${severity} ${message}`);
  expect(lines.join('\n')).toMatch(/WARNING A connection to \S+ was refused: .+/);
  expect(requests).toEqual([]);
}); // prettier-ignore

test('without declared hosts there is no way out at all', async () => {
  const body = '[tunnel("127.0.0.2", port), os.path.exists("/run/kethub"), "HTTPS_PROXY" in os.environ]';
  expect(await bench.result(program(body), { input: { port } })).toEqual(['no: [Errno 111] Connection refused', false, false]);
}); // prettier-ignore

test('a warm process has the hosts of its version, and its refusals are in the log of its execution', async () => {
  const code = bench.service(program('[get(f"http://127.0.0.2:{port}/warm"), tunnel("127.0.0.9", port)]'), ['json']);
  await bench.run(code, { hosts: hosts(), input: { port } });
  await until('one waits', async () => (await bench.runtime.status()).warm.length > 0);
  await bench.run(code, { hosts: [`127.0.0.9:${port}`], input: { port } });
  const warm = (await bench.runtime.status()).warm.filter(({ sourceDir }) => sourceDir === code.sourceDir).length;
  const end = await bench.run(code, { hosts: hosts(), input: { port }, limits: LIMITS });
  expect([warm, resultOf(end)]).toEqual([2, ['hello', expect.stringContaining('403')]]);
  expect((await bench.log(end.executionId)).map(({ message }) => message)).toEqual([
    expect.stringContaining(`A connection to 127.0.0.9:${port} was refused`),
  ]);
});
