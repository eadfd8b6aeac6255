import type http from 'node:http';
import type net from 'node:net';
import { expect } from 'vitest';
import { sqlite } from './databases.ts';
import { callerOf, type Caller } from './gateway.ts';
import { startTestKethub, type DeployedService, type TestKethub } from './kethub.ts';
import {
  deployOnPremise,
  localTargets,
  startProvider,
  startRawProvider,
  type Provider,
  type Received,
} from './on-premise.ts';

/** A platform with an on-premise service that answers with the request it received, and a caller of this service. */
export interface Forwarded {
  readonly kethub: TestKethub;
  readonly provider: Provider;
  readonly service: DeployedService;
  readonly caller: Caller;
  /** The request that the provider received for a call that was answered with 200. */
  echoed(...call: Parameters<Caller['request']>): Promise<Received>;
  /** Path of the service at the gateway. */
  readonly path: string;
  /** The header that authenticates the caller. */
  readonly bearer: string;
  callerAt(url: string, timeoutSeconds?: number): Promise<ElsewhereCaller>;
  callerOfHandler(handle: http.RequestListener): Promise<ElsewhereCaller>;
  callerOfRaw(
    handle: (socket: net.Socket) => void,
    timeoutSeconds?: number,
  ): Promise<ElsewhereCaller & { readonly connections: () => number }>;
  close(): Promise<void>;
}

/** A caller of an on-premise service that was deployed for it. */
export type ElsewhereCaller = Caller & { readonly endpoint: string };

export async function startForwarded(): Promise<Forwarded> {
  const kethub = await startTestKethub(sqlite, localTargets);
  const provider = await startProvider();
  const credentials = { username: 'gate', password: 'pässword' };
  const service = await deployOnPremise(kethub.client, 'Echo', { url: `${provider.url}/base/`, credentials });
  const caller = await callerOf(service);
  const closing: (() => Promise<unknown>)[] = [];
  let number = 0;
  const callerAt = async (url: string, timeoutSeconds = 60): Promise<ElsewhereCaller> => {
    const deployed = await deployOnPremise(kethub.client, `Service ${(number += 1)}`, { url, timeoutSeconds });
    return { ...(await callerOf(deployed)), endpoint: deployed.endpoint };
  };
  return {
    kethub,
    provider,
    service,
    caller,
    path: new URL(service.endpoint).pathname,
    bearer: `Authorization: Bearer ${caller.bearer}`,
    async echoed(...call) {
      const { body, status } = await caller.request(...call);
      expect(status).toBe(200);
      return body as Received;
    },
    callerAt,
    async callerOfHandler(handle) {
      const one = await startProvider(handle);
      closing.push(() => one.close());
      return callerAt(one.url);
    },
    async callerOfRaw(handle, timeoutSeconds) {
      const one = await startRawProvider(handle);
      closing.push(() => one.close());
      return { ...(await callerAt(one.url, timeoutSeconds)), connections: one.connections };
    },
    async close() {
      for (const close of closing) await close();
      await provider.close();
      await kethub.close();
    },
  };
}
