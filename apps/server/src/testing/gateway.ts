import { setTimeout as pause } from 'node:timers/promises';
import { isEnded } from '@kethub/client';
import type { ServiceExecution } from '@kethub/contract';
import type { DeployedService, TestInstallation } from './kethub.ts';

/** Waits until every gateway knows of a change of access or limits. */
export function heardEverywhere(): Promise<void> {
  return pause(1_000);
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text of another type. */
  readonly body: unknown;
  readonly text: string;
}

export type CallOptions = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** An application that sends plain HTTP requests to a deployed service. */
export interface Caller {
  readonly bearer: string;
  request(method: string, path: string, options?: CallOptions): Promise<Answered>;
  /** Starts an execution; fails when that is not answered with 201. */
  start(input: unknown): Promise<ServiceExecution>;
  /** Starts an execution and waits for its end. */
  finish(input: unknown): Promise<ServiceExecution>;
}

export async function requestToken(
  tokenEndpoint: string,
  credentials: string,
  body: string = 'grant_type=client_credentials',
): Promise<Answered> {
  const headers = {
    authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return read(await fetch(tokenEndpoint, { method: 'POST', headers, body }));
}

/** Creates a caller. With `at`, its requests go to the gateway processes in turn. */
export async function callerOf(
  service: DeployedService,
  { at }: Pick<TestInstallation, 'at'> = { at: (address) => address },
): Promise<Caller> {
  const { application, accessKeyId, secretAccessKey } = service;
  const token = await requestToken(at(application.tokenEndpoint), `${accessKeyId}:${secretAccessKey}`);
  return callerAt(service.endpoint, member(token.body, 'access_token'), at);
}

/** A caller with this bearer token. */
export function callerAt(endpoint: string, bearer: string, at = (address: string) => address): Caller {
  const request: Caller['request'] = async (method, path, options = {}) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...options.headers };
    return read(await fetch(at(endpoint + path), { ...options, method, headers, redirect: 'manual' }));
  };
  const post = async (input: unknown, prefer: string): Promise<ServiceExecution> => {
    const answer = await request('POST', '/', { body: JSON.stringify(input), headers: { prefer } });
    if (answer.status !== 201) throw new Error(`Not started: ${answer.status} ${answer.text}`);
    return answer.body as ServiceExecution;
  };
  const finish = async (input: unknown): Promise<ServiceExecution> => {
    const headers = { prefer: 'wait=60' };
    let execution = await post(input, headers.prefer);
    while (!isEnded(execution)) {
      const answer = await request('GET', `/${execution.id}`, { headers });
      if (answer.status !== 200) throw new Error(`No status: ${answer.status} ${answer.text}`);
      execution = answer.body as ServiceExecution;
    }
    return execution;
  };
  return { bearer, request, start: (input) => post(input, ''), finish };
}

export async function read(response: Response): Promise<Answered> {
  const text = await response.text();
  let body: unknown = text;
  if (text !== '' && response.headers.get('content-type')?.includes('json')) body = JSON.parse(text);
  return { status: response.status, headers: response.headers, body, text };
}

/** A string member of a JSON object. */
export function member(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  if (typeof value !== 'string') throw new Error(`No string ${name} in ${JSON.stringify(body)}`);
  return value;
}
