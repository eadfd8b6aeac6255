import type { DataPool } from '@kethub/contract';
import { member, read, type Answered } from './gateway.ts';
import type { TestKethub } from './kethub.ts';

type Content = string | Buffer | Blob | ReadableStream;

interface PoolCall {
  /** A plain object is sent as JSON. */
  readonly body?: Content | object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The organization for which the person acts. */
  readonly organizationId?: string;
}

/** A person who sends plain requests about data pools to the platform interface. */
export interface PoolUser {
  readonly id: string;
  call(method: string, path: string, options?: PoolCall): Promise<Answered>;
  /** Creates a pool; fails when that is not answered with 201. */
  create(name?: string, organizationId?: string): Promise<DataPool>;
  /** Uploads a file; fails when that is refused. */
  upload(pool: DataPool, name: string, content: Content): Promise<Answered>;
  organization(name: string): Promise<string>;
}

export async function poolUser({ kethub }: TestKethub, loginSession: string): Promise<PoolUser> {
  const call: PoolUser['call'] = async (method, path, { body, headers, organizationId } = {}) => {
    const json = typeof body === 'object' && Object.getPrototypeOf(body) === Object.prototype;
    const response = await fetch(kethub.platform.addresses.api + path, {
      method,
      headers: {
        authorization: `Bearer ${loginSession}`,
        ...(json && { 'content-type': 'application/json' }),
        ...(organizationId && { 'x-organizationid': organizationId }),
        ...headers,
      },
      ...(body !== undefined && { body: json ? JSON.stringify(body) : (body as Content) }),
      ...(body instanceof ReadableStream && { duplex: 'half' as const }),
    });
    return read(response);
  };
  const expectStatus = async (answer: Promise<Answered>, ...wanted: number[]): Promise<Answered> => {
    const { status, text } = await answer;
    if (!wanted.includes(status)) throw new Error(`Answered ${status}: ${text}`);
    return answer;
  };
  return {
    id: member((await call('GET', '/me')).body, 'id'),
    call,
    async create(name = 'measurements', organizationId = '') {
      const answer = call('POST', '/data-pools', { body: { name }, organizationId });
      return (await expectStatus(answer, 201)).body as DataPool;
    },
    upload: ({ id }, name, content) =>
      expectStatus(call('PUT', `/data-pools/${id}/files/${encodeURIComponent(name)}`, { body: content }), 200, 201),
    async organization(name) {
      return member((await expectStatus(call('POST', '/organizations', { body: { name } }), 201)).body, 'id');
    },
  };
}
