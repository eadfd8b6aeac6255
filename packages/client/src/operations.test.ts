import { describe, expect, test } from 'vitest';
import { jsonTextOf } from './connection.ts';
import { createGatewayClient } from './gateway-client.ts';
import { table as gatewayTable } from './generated/gateway-table.ts';
import { table as platformTable } from './generated/platform-table.ts';
import { createPlatformClient, type PlatformClient } from './platform-client.ts';
import { json, problem, standIn, type Answer } from './testing.stand-in.ts';

const id = '019a7c3e-5b0d-7c4e-9a51-0f6d2b8f4c11';

function platformAt(url: string, organizationId?: string): PlatformClient {
  const credential = { accessToken: 'ket_pat_x' };
  return createPlatformClient({ baseUrl: `${url}/api/`, credential, ...(organizationId && { organizationId }) });
}

/** Answers with the headers and the body of the request. */
const echo: Answer = (response, request) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () =>
    json({ headers: request.headers, body: Buffer.concat(chunks).toString() })(response, request),
  );
};

interface Echo {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

test('there is a method for every operation of both interfaces', async () => {
  const { url } = await standIn(json({}));
  const platform = platformAt(url);
  expect(Object.keys(platform)).toEqual(expect.arrayContaining(Object.keys(platformTable)));
  const keys = { accessKeyId: 'ket_ak_x', secretAccessKey: 'ket_sk_x' };
  const gateway = createGatewayClient({ ...keys, tokenEndpoint: `${url}/token`, endpoint: `${url}/ada/one/1.0.0/` });
  // The client asks for bearer tokens by itself.
  const { requestToken: _unused, ...ofServices } = gatewayTable;
  expect(Object.keys(gateway)).toEqual(expect.arrayContaining(Object.keys(ofServices)));
});

describe('a request', () => {
  test('has parameters in its path, the others in its query, and what is undefined nowhere', async () => {
    const { url, requests } = await standIn(json([]));
    const platform = platformAt(url);
    await platform.listWorkflowInstances({ serviceId: 'a/../b', limit: 2, cursor: undefined });
    await platform.browseMarketplace({ q: 'a&b=ä', limit: 1 });
    await platform.retryWorkflowIncident({ instanceId: id, incident: 3, json: {} });
    expect(requests.map((request) => `${request.method} ${request.url}`)).toEqual([
      'GET /api/services/a%2F..%2Fb/workflow-instances?limit=2',
      'GET /api/marketplace/services?q=a%26b%3D%C3%A4&limit=1',
      `PUT /api/workflow-instances/${id}/incidents/3/retry`,
    ]);
    for (const serviceId of ['', '.', '..'])
      await expect(platform.getService({ serviceId })).rejects.toThrow('is no id or name');
  });

  test('proves who sends it, and names the organization', async () => {
    const { url, requests } = await standIn(json({}));
    await platformAt(url, id).getMe();
    expect(requests[0]?.headers).toMatchObject({ 'x-auth-token': 'ket_pat_x', 'x-organizationid': id });
  });

  test('carries JSON, or a JSON text as it stands, with the headers that were given', async () => {
    const { url } = await standIn(echo);
    const platform = platformAt(url);
    const headers = { prefer: 'wait=5', 'idempotency-key': 'one', 'if-match': '"1"' };
    const sent = (await platform.startJob({ serviceId: id, json: { data: 1 }, headers })) as unknown as Echo;
    expect(sent).toMatchObject({ body: '{"data":1}', headers: { ...headers, 'content-type': 'application/json' } });
    const text = '{"111":1.0,"000":12345678901234567890}';
    expect(await platform.startJob({ serviceId: id, jsonText: text })).toMatchObject({ body: text });
  });

  test('carries files: with their media type, another one, or in a form', async () => {
    const { url } = await standIn(echo);
    const platform = platformAt(url);
    const address = { dataPoolId: id, name: 'a.csv' };
    const upload = async (body: Blob, headers = {}) =>
      (await platform.uploadDataPoolFile({ ...address, body, headers })) as unknown as Echo;
    const types = await Promise.all([
      upload(new Blob(['1'], { type: 'text/csv' })),
      upload(new Blob(['1'], { type: 'text/csv' }), { 'content-type': 'text/plain' }),
      upload(new Blob(['1'])),
    ]);
    expect(types.map(({ headers }) => headers['content-type'])).toEqual([
      'text/csv',
      'text/plain',
      'application/octet-stream',
    ]);
    const stream = new Blob(['1,2']).stream();
    const headers = { 'content-type': 'text/csv', 'content-length': '3' };
    expect(await platform.uploadDataPoolFile({ ...address, body: stream, headers })).toMatchObject({
      body: '1,2',
      headers: { 'content-length': '3' },
    });
    const form = new FormData();
    form.set('name', 'One');
    const created = (await platform.createService({ body: form })) as unknown as Echo;
    expect(created.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(created.body).toContain('One');
  });

  test('can be aborted', async () => {
    const { url } = await standIn(json({}));
    await expect(platformAt(url).getMe({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});

describe('an answer', () => {
  test('is JSON, nothing, or a stream', async () => {
    const file: Answer = (response) => void response.writeHead(200, { 'content-type': 'text/csv' }).end('1,2');
    const nothing: Answer = (response) => void response.writeHead(204).end();
    const { url, requests } = await standIn(json({ id }), nothing, file);
    const platform = platformAt(url);
    expect(await platform.getDataPool({ dataPoolId: id })).toEqual({ id });
    expect(await platform.deleteDataPool({ dataPoolId: id })).toBeUndefined();
    const response = await platform.downloadDataPoolFile({ dataPoolId: id, name: 'a.csv' });
    expect(await response.text()).toBe('1,2');
    expect(requests.map(({ headers }) => headers.accept)).toEqual(['application/json', 'application/json', '*/*']);
  });

  test('is there with its entity tag, and as 304', async () => {
    const unchanged: Answer = (response) => void response.writeHead(304).end();
    const { url, requests } = await standIn(json({}, 200, { etag: '"7"' }), unchanged);
    const platform = platformAt(url);
    const first = await platform.getService.response({ serviceId: id });
    const etag = first.headers.get('etag') ?? '';
    const again = await platform.getService.response({ serviceId: id, headers: { 'if-none-match': etag } });
    expect([etag, again.status, requests[1]?.headers['if-none-match']]).toEqual(['"7"', 304, '"7"']);
  });

  test('keeps its text, in which no number is rounded', async () => {
    const text = '{"111": 1.0, "000": 12345678901234567890}';
    const { url } = await standIn((response) => void response.end(text));
    const instance = await platformAt(url).getWorkflowInstance({ instanceId: id });
    expect(jsonTextOf(instance)).toBe(text);
    expect(jsonTextOf({ ...instance })).toBeUndefined();
  });

  test('that is a problem is thrown, whatever the kind of the operation', async () => {
    const { url } = await standIn(problem(412, 'precondition-failed'));
    const platform = platformAt(url);
    const refused = { status: 412, code: 'precondition-failed' };
    await expect(platform.getMe()).rejects.toMatchObject(refused);
    await expect(platform.getMe.response()).rejects.toMatchObject(refused);
    await expect(platform.deleteMe()).rejects.toMatchObject(refused);
    await expect(platform.downloadSource({ serviceId: id, version: '1.0.0' })).rejects.toMatchObject(refused);
  });
});
