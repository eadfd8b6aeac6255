import type { MemberRole } from '@kethub/contract';

/** Resources of an organization, created when a request needs them. */
export interface Owned {
  readonly organizationId: string;
  /** A member other than the callers. */
  memberId(): Promise<string>;
  invitation(): Promise<string>;
  application(): Promise<string>;
  accessKey(): Promise<{ applicationId: string; keyId: string }>;
  /** A service with the draft 1.0.0. */
  service(): Promise<string>;
  /** A SUCCEEDED execution. */
  execution(): Promise<string>;
  /** A share of a service with `recipientId`. */
  share(): Promise<{ serviceId: string; shareId: string }>;
  /** An approved user. */
  readonly recipientId: string;
  /** An on-premise service with the draft 1.0.0. */
  onPremiseService(): Promise<string>;
  serviceForm(): Promise<FormData>;
  source(): Promise<Blob>;
  /** A workflow service with the draft 1.0.0, and an instance of it that has succeeded; always the same. */
  workflow(): Promise<{ serviceId: string; instanceId: string }>;
  /** A data pool with the file `one.csv`. */
  dataPool(): Promise<string>;
  /** An empty implementation. */
  implementation(): Promise<string>;
  /** A name that nothing has. */
  newName(): string;
  /** An id that nothing has. */
  readonly unknown: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object | FormData | Blob;
}

export interface Row {
  /** The least role that is permitted. */
  readonly role: MemberRole;
  /** Part of a request that names the organization. */
  readonly by: 'HEADER' | 'PATH';
  /** True if it is about one resource, which strangers cannot see. */
  readonly onResource: boolean;
  /** A valid request. */
  readonly request: (owned: Owned) => Promise<Request> | Request;
  /** Statuses of permitted requests that are refused because of the state of the resource. */
  readonly refusedFor?: readonly number[];
  /** True if answers have no body, so that only the status can be checked. */
  readonly bodiless?: boolean;
  /** True if visitors may ask as well. What is private is not there for them. */
  readonly visitors?: boolean;
}

/** A row that visitors may ask for as well. */
export const forVisitors = (row: Row): Row => ({ ...row, visitors: true });

export const list = (
  role: MemberRole,
  method: string,
  path: string,
  body?: (owned: Owned) => Promise<FormData> | object,
): Row => ({
  role,
  by: 'HEADER',
  onResource: false,
  request: async (owned) => ({ method, path, ...(body && { body: await body(owned) }) }),
});
export const on = (role: MemberRole, request: Row['request'], refusedFor: readonly number[] = []): Row => ({
  role,
  by: 'HEADER',
  onResource: true,
  request,
  refusedFor,
});
export const inside = (
  role: MemberRole,
  method: string,
  path: string | ((owned: Owned) => Promise<string>),
  body?: object,
  refusedFor: readonly number[] = [],
): Row => ({
  role,
  by: 'PATH',
  onResource: true,
  refusedFor,
  request: async (owned) => ({
    method,
    path: `/organizations/${owned.organizationId}${typeof path === 'string' ? path : await path(owned)}`,
    ...(body && { body }),
  }),
});
export const application = (
  role: MemberRole,
  method: string,
  path: string,
  body?: object,
  refusedFor?: readonly number[],
) =>
  on(
    role,
    async (owned) => ({ method, path: `/applications/${await owned.application()}${path}`, ...(body && { body }) }),
    refusedFor,
  );
export const service = (
  role: MemberRole,
  method: string,
  path: string,
  body?: (owned: Owned) => object | Promise<Blob>,
  refusedFor?: readonly number[],
) =>
  on(
    role,
    async (owned) => ({
      method,
      path: `/services/${await owned.service()}${path}`,
      ...(body && { body: await body(owned) }),
    }),
    refusedFor,
  );

export const share = (role: MemberRole, method: string, body?: object) =>
  on(role, async (owned) => {
    const { serviceId, shareId } = await owned.share();
    return { method, path: `/services/${serviceId}/shares/${shareId}`, ...(body && { body }) };
  });

export const execution = (role: MemberRole, method: string, path: string, refusedFor?: readonly number[]) =>
  on(role, async (owned) => ({ method, path: `/service-executions/${await owned.execution()}${path}` }), refusedFor);

export const dataPool = (
  role: MemberRole,
  method: string,
  path: string | ((owned: Owned) => Promise<string>),
  body?: (owned: Owned) => object,
  refusedFor?: readonly number[],
) =>
  on(
    role,
    async (owned) => ({
      method,
      path: `/data-pools/${await owned.dataPool()}${typeof path === 'string' ? path : await path(owned)}`,
      ...(body && { body: body(owned) }),
    }),
    refusedFor,
  );

export const implementation = (
  role: MemberRole,
  method: string,
  path: string | ((owned: Owned) => Promise<string>),
  body?: (owned: Owned) => object,
  refusedFor?: readonly number[],
) =>
  on(
    role,
    async (owned) => ({
      method,
      path: `/implementations/${await owned.implementation()}${typeof path === 'string' ? path : await path(owned)}`,
      ...(body && { body: body(owned) }),
    }),
    refusedFor,
  );

/** About the content of an empty repository. */
export const repository = (role: MemberRole, method: string, path: string, refusedFor?: readonly number[]) =>
  on(
    role,
    async (owned) => ({ method, path: `/-/implementations/${await owned.implementation()}${path}` }),
    refusedFor,
  );

export const qcPool = (
  role: MemberRole,
  method: string,
  path: string,
  body?: object | (() => FormData),
  refusedFor?: readonly number[],
) =>
  on(
    role,
    async (owned) => ({
      method,
      path: `/qc-catalog/datapools/${await owned.dataPool()}${path.replace('RECIPIENT', owned.recipientId)}`,
      ...(body && { body: typeof body === 'function' ? body() : withRecipient(body, owned) }),
    }),
    refusedFor,
  );

function withRecipient(body: object, { recipientId }: Owned): object {
  return 'role' in body ? { ...body, sharedWith: { tenantType: 'USER', value: recipientId } } : body;
}

export function fileForm(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['1']), 'one.csv');
  return form;
}

export function commitForm(): FormData {
  const form = new FormData();
  form.set('files', new Blob(['1']), 'a.txt');
  return form;
}

export const workflow = (
  role: MemberRole,
  method: string,
  path: (of: { serviceId: string; instanceId: string }) => string,
  body?: object,
  refusedFor?: readonly number[],
) => on(role, async (owned) => ({ method, path: path(await owned.workflow()), ...(body && { body }) }), refusedFor);
