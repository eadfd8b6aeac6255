import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { PlatformClient } from '@kethub/client';
import type { TargetRequest } from '@kethub/contract';
import type { DeployedService, TestKethub } from './kethub.ts';

/** Settings that allow targets on this machine, over plain HTTP and at any port. */
export const localTargets = {
  KETHUB_ON_PREMISE_NETWORKS: '127.0.0.0/8',
  KETHUB_ON_PREMISE_HTTP: 'on',
  KETHUB_ON_PREMISE_PORTS: '1024-65535',
};

/** A request that the provider's service has received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** A provider's service: a real HTTP server. */
export interface Provider {
  readonly url: string;
  readonly server: http.Server;
  /** Completely received calls, in order. */
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/**
 * Starts a provider that answers 200 with the received request. With `handle` it answers instead and reads the body
 * itself.
 */
export async function startProvider(handle?: http.RequestListener, server = http.createServer()): Promise<Provider> {
  const received: Received[] = [];
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (handle) return handle(request, response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const one = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
      received.push(one);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(one));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts a provider that handles raw connections: it can send broken answers, or none. */
export async function startRawProvider(
  handle: (socket: net.Socket) => void,
): Promise<{ url: string; connections(): number; close(): Promise<void> }> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Publishes an on-premise service, with its own application subscribed to it. */
export async function deployOnPremise(
  client: PlatformClient,
  name: string,
  target: Omit<TargetRequest, 'timeoutSeconds'> & { readonly timeoutSeconds?: number },
): Promise<DeployedService> {
  const service = await client.createService({ json: { type: 'ON_PREMISE', name, target } });
  await client.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
  const application = await client.createApplication({ json: { name: `${name} caller` } });
  const subscription = await client.subscribe({ applicationId: application.id, json: { serviceId: service.id } });
  const [key] = application.accessKeys;
  if (!key) throw new Error('An application without an access key');
  const secretAccessKey = (await client.revealSecretAccessKey({ applicationId: application.id, keyId: key.id }))
    .secretAccessKey;
  const endpoint = subscription.endpoint.replace(/\/$/, '');
  return { service, application, subscription, endpoint, accessKeyId: key.accessKeyId, secretAccessKey };
}

/** Writes bytes to the gateway. Returns the received text up to the end of the connection, or up to `until`. */
export async function sendRaw(kethub: TestKethub, bytes: string | Buffer, until?: string): Promise<string> {
  const { port } = new URL(kethub.kethub.platform.addresses.gateway);
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  let text = '';
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (until !== undefined && text.includes(until)) socket.destroy();
    });
    socket.on('close', () => resolve());
  });
  socket.write(bytes);
  await ended;
  return text;
}
