import type { MemberRole } from '@kethub/contract';

/** What an organization owns, made when a request needs it. */
export interface Owned {
  readonly organizationId: string;
  /** A member other than those who ask. */
  memberId(): Promise<string>;
  invitation(): Promise<string>;
  application(): Promise<string>;
  accessKey(): Promise<{ applicationId: string; keyId: string }>;
  /** With the draft 1.0.0. */
  service(): Promise<string>;
  /** One that has succeeded. */
  execution(): Promise<string>;
  /** Of a service, with `recipientId`. */
  share(): Promise<{ serviceId: string; shareId: string }>;
  /** An approved user. */
  readonly recipientId: string;
  /** With the draft 1.0.0. */
  onPremiseService(): Promise<string>;
  serviceForm(): Promise<FormData>;
  source(): Promise<Blob>;
  /** A workflow service with the draft 1.0.0, and an instance of it that has succeeded; always the same. */
  workflow(): Promise<{ serviceId: string; instanceId: string }>;
  /** With the file `one.csv`. */
  dataPool(): Promise<string>;
  /** An id that nothing has. */
  readonly unknown: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object | FormData | Blob;
}

export interface Row {
  /** The least role that may. */
  readonly role: MemberRole;
  /** How a request names the organization. */
  readonly by: 'HEADER' | 'PATH';
  /** Whether it is about one resource, which is not there for others. */
  readonly onResource: boolean;
  /** A valid request. */
  readonly request: (owned: Owned) => Promise<Request> | Request;
  /** Statuses with which what was permitted is refused for the state that the resource is in. */
  readonly refusedFor?: readonly number[];
  /** Whether answers have no body, so that only the status tells. */
  readonly bodiless?: boolean;
}

const list = (
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
const on = (role: MemberRole, request: Row['request'], refusedFor: readonly number[] = []): Row => ({
  role,
  by: 'HEADER',
  onResource: true,
  request,
  refusedFor,
});
const inside = (
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
const application = (role: MemberRole, method: string, rest: string, body?: object, refusedFor?: readonly number[]) =>
  on(
    role,
    async (owned) => ({ method, path: `/applications/${await owned.application()}${rest}`, ...(body && { body }) }),
    refusedFor,
  );
const service = (
  role: MemberRole,
  method: string,
  rest: string,
  body?: (owned: Owned) => object | Promise<Blob>,
  refusedFor?: readonly number[],
) =>
  on(
    role,
    async (owned) => ({
      method,
      path: `/services/${await owned.service()}${rest}`,
      ...(body && { body: await body(owned) }),
    }),
    refusedFor,
  );

const share = (role: MemberRole, method: string, body?: object) =>
  on(role, async (owned) => {
    const { serviceId, shareId } = await owned.share();
    return { method, path: `/services/${serviceId}/shares/${shareId}`, ...(body && { body }) };
  });

const execution = (role: MemberRole, method: string, rest: string, refusedFor?: readonly number[]) =>
  on(role, async (owned) => ({ method, path: `/service-executions/${await owned.execution()}${rest}` }), refusedFor);

const dataPool = (
  role: MemberRole,
  method: string,
  rest: string | ((owned: Owned) => Promise<string>),
  body?: (owned: Owned) => object,
  refusedFor?: readonly number[],
) =>
  on(
    role,
    async (owned) => ({
      method,
      path: `/data-pools/${await owned.dataPool()}${typeof rest === 'string' ? rest : await rest(owned)}`,
      ...(body && { body: body(owned) }),
    }),
    refusedFor,
  );

const qcPool = (
  role: MemberRole,
  method: string,
  rest: string,
  body?: object | (() => FormData),
  refusedFor?: readonly number[],
) =>
  on(
    role,
    async (owned) => ({
      method,
      path: `/qc-catalog/datapools/${await owned.dataPool()}${rest.replace('RECIPIENT', owned.recipientId)}`,
      ...(body && { body: typeof body === 'function' ? body() : withRecipient(body, owned) }),
    }),
    refusedFor,
  );

function withRecipient(body: object, { recipientId }: Owned): object {
  return 'role' in body ? { ...body, sharedWith: { tenantType: 'USER', value: recipientId } } : body;
}

function fileForm(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['1']), 'one.csv');
  return form;
}

const workflow = (
  role: MemberRole,
  method: string,
  path: (of: { serviceId: string; instanceId: string }) => string,
  body?: object,
  refusedFor?: readonly number[],
) => on(role, async (owned) => ({ method, path: path(await owned.workflow()), ...(body && { body }) }), refusedFor);

const NO_LIMITS = { requestsPerMinute: null, executionsPerDay: null, executionsPerMonth: null };
const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';

/** Every operation on resources of the platform interface by its id: who may, and a request that tries. */
export const matrix: Readonly<Record<string, Row>> = {
  getOrganization: inside('VIEWER', 'GET', ''),
  renameOrganization: inside('OWNER', 'PATCH', '', { name: 'Lab' }),
  deleteOrganization: inside('OWNER', 'DELETE', '', undefined, [409]),
  leaveOrganization: inside('VIEWER', 'DELETE', '/membership', undefined, [409]),
  listMembers: inside('VIEWER', 'GET', '/members'),
  changeMember: inside('OWNER', 'PUT', async (owned) => `/members/${await owned.memberId()}`, { role: 'VIEWER' }),
  removeMember: inside('OWNER', 'DELETE', async (owned) => `/members/${await owned.memberId()}`),
  invite: inside('OWNER', 'POST', '/invitations', { email: 'y@example.org', role: 'VIEWER' }),
  listInvitations: inside('OWNER', 'GET', '/invitations'),
  withdrawInvitation: inside('OWNER', 'DELETE', async (owned) => `/invitations/${await owned.invitation()}`),
  readAuditLog: list('OWNER', 'GET', '/audit-log'),

  listApplications: list('VIEWER', 'GET', '/applications'),
  createApplication: {
    ...list('MAINTAINER', 'POST', '/applications'),
    request: () => ({ method: 'POST', path: '/applications', body: { name: 'caller' } }),
  },
  getApplication: application('VIEWER', 'GET', ''),
  renameApplication: application('MAINTAINER', 'PATCH', '', { name: 'other' }),
  deleteApplication: application('OWNER', 'DELETE', ''),
  transferApplication: on('OWNER', async (owned) => ({
    method: 'PUT',
    path: `/applications/${await owned.application()}/owner`,
    body: { type: 'ORGANIZATION', id: owned.organizationId },
  })),
  rotateAccessKey: application('MAINTAINER', 'POST', '/access-keys', {}),
  revealSecretAccessKey: on('MAINTAINER', async (owned) => {
    const { applicationId, keyId } = await owned.accessKey();
    return { method: 'GET', path: `/applications/${applicationId}/access-keys/${keyId}/secret` };
  }),
  // Of a service that is not published: 404 also for those who may subscribe.
  subscribe: application('MAINTAINER', 'POST', '/subscriptions', { serviceId: UNKNOWN }, [404]),
  listSubscriptions: application('VIEWER', 'GET', '/subscriptions'),
  getSubscription: application('VIEWER', 'GET', `/subscriptions/${UNKNOWN}`, undefined, [404]),
  unsubscribe: application('MAINTAINER', 'DELETE', `/subscriptions/${UNKNOWN}`, undefined, [404]),

  listDataPools: list('VIEWER', 'GET', '/data-pools'),
  createDataPool: {
    ...list('MAINTAINER', 'POST', '/data-pools'),
    request: () => ({ method: 'POST', path: '/data-pools', body: { name: 'measurements' } }),
  },
  getDataPool: dataPool('VIEWER', 'GET', ''),
  updateDataPool: dataPool('MAINTAINER', 'PATCH', '', () => ({ description: 'x' })),
  deleteDataPool: dataPool('OWNER', 'DELETE', ''),
  transferDataPool: dataPool('OWNER', 'PUT', '/owner', (owned) => ({ type: 'ORGANIZATION', id: owned.organizationId })),
  // It belongs to the organization, which is not one of its members.
  leaveDataPool: dataPool('OWNER', 'DELETE', '/membership', undefined, [409]),
  qcListDataPools: list('VIEWER', 'GET', '/qc-catalog/datapools'),
  qcCreateDataPool: {
    ...list('MAINTAINER', 'POST', '/qc-catalog/datapools'),
    request: () => ({ method: 'POST', path: '/qc-catalog/datapools', body: { name: 'measurements' } }),
  },
  qcGetDataPool: qcPool('VIEWER', 'GET', ''),
  qcUpdateDataPool: qcPool('MAINTAINER', 'PUT', '', { name: 'x' }),
  qcDeleteDataPool: qcPool('OWNER', 'DELETE', ''),
  qcGrantDataPool: qcPool('VIEWER', 'POST', '/grants', { applicationId: UNKNOWN, permission: 'VIEW' }),
  qcListFiles: qcPool('VIEWER', 'GET', '/files'),
  qcAddFile: qcPool('MAINTAINER', 'POST', '/files', fileForm),
  qcDownloadFile: qcPool('VIEWER', 'GET', `/files/${UNKNOWN}`, undefined, [404]),
  qcDeleteFile: qcPool('MAINTAINER', 'DELETE', `/files/${UNKNOWN}`, undefined, [404]),
  qcListShares: qcPool('VIEWER', 'GET', '/shares'),
  qcShareDataPool: qcPool('OWNER', 'POST', '/shares', { role: 'VIEWER' }),
  qcChangeShare: on(
    'OWNER',
    async (owned) => ({
      method: 'PUT',
      path: `/qc-catalog/datapools/${await owned.dataPool()}/shares/user-${UNKNOWN}`,
      body: { role: 'VIEWER' },
    }),
    [404],
  ),
  qcRemoveShare: qcPool('OWNER', 'DELETE', `/shares/user-${UNKNOWN}`, undefined, [404]),
  qcSubscribe: on(
    'MAINTAINER',
    async (owned) => ({
      method: 'POST',
      path: '/qc-catalog/subscriptions',
      body: { serviceId: UNKNOWN, applicationId: await owned.application() },
    }),
    [404],
  ),
  qcGetSubscription: { ...list('VIEWER', 'GET', `/qc-catalog/subscriptions/${UNKNOWN}`), refusedFor: [404] },
  qcUnsubscribe: { ...list('MAINTAINER', 'DELETE', `/qc-catalog/subscriptions/${UNKNOWN}`), refusedFor: [404] },
  listDataPoolMembers: dataPool('VIEWER', 'GET', '/members'),
  putDataPoolMember: dataPool(
    'OWNER',
    'PUT',
    async (owned) => `/members/USER/${await owned.memberId()}`,
    () => ({
      role: 'VIEWER',
    }),
  ),
  removeDataPoolMember: dataPool('OWNER', 'DELETE', `/members/USER/${UNKNOWN}`, undefined, [404]),
  listDataPoolFiles: dataPool('VIEWER', 'GET', '/files'),
  downloadDataPoolFile: dataPool('VIEWER', 'GET', '/files/one.csv'),
  headDataPoolFile: { ...dataPool('VIEWER', 'HEAD', '/files/one.csv'), bodiless: true },
  uploadDataPoolFile: dataPool('MAINTAINER', 'PUT', '/files/two.csv', () => new Blob(['1,2'])),
  deleteDataPoolFile: dataPool('MAINTAINER', 'DELETE', '/files/one.csv'),

  listServices: list('VIEWER', 'GET', '/services'),
  createService: list('MAINTAINER', 'POST', '/services', (owned) => owned.serviceForm()),
  getService: service('VIEWER', 'GET', ''),
  updateService: service('MAINTAINER', 'PATCH', '', () => ({ description: 'x' })),
  deleteService: service('OWNER', 'DELETE', ''),
  transferService: service('OWNER', 'PUT', '/owner', (owned) => ({ type: 'ORGANIZATION', id: owned.organizationId })),
  addServiceVersion: service('MAINTAINER', 'POST', '/versions', (owned) => owned.source(), [409]),
  listServiceVersions: service('VIEWER', 'GET', '/versions'),
  retireServiceVersion: service('MAINTAINER', 'PUT', '/versions/1.0.0/retirement', () => ({}), [409]),
  withdrawRetirement: service('MAINTAINER', 'DELETE', '/versions/1.0.0/retirement', undefined, [409]),
  getApiSpecification: service('VIEWER', 'GET', '/versions/1.0.0/api-specification'),
  uploadApiSpecification: service(
    'MAINTAINER',
    'PUT',
    '/versions/1.0.0/api-specification',
    () => ({ openapi: '2' }),
    [422],
  ),
  deleteApiSpecification: service('MAINTAINER', 'DELETE', '/versions/1.0.0/api-specification'),
  listProviderAccessTokens: list('MAINTAINER', 'GET', '/provider-access-tokens'),
  setProviderAccessToken: {
    ...list('MAINTAINER', 'PUT', '/provider-access-tokens/IONQ'),
    request: () => ({ method: 'PUT', path: '/provider-access-tokens/IONQ', body: { apiKey: 'key' } }),
  },
  deleteProviderAccessToken: {
    ...list('MAINTAINER', 'DELETE', '/provider-access-tokens/AQT'),
    refusedFor: [404],
  },
  getServiceVersion: service('VIEWER', 'GET', '/versions/1.0.0'),
  downloadSource: service('VIEWER', 'GET', '/versions/1.0.0/source'),
  replaceSource: service('MAINTAINER', 'PUT', '/versions/1.0.0/source', (owned) => owned.source()),
  configureServiceVersion: service('MAINTAINER', 'PUT', '/versions/1.0.0/configuration', () => ({})),
  setTarget: on('MAINTAINER', async (owned) => ({
    method: 'PUT',
    path: `/services/${await owned.onPremiseService()}/versions/1.0.0/target`,
    body: { url: 'https://other.example.org/' },
  })),
  // Of a subscription that is not there: 400 also for those who may report.
  reportUsage: on(
    'MAINTAINER',
    async (owned) => ({
      method: 'POST',
      path: `/services/${await owned.onPremiseService()}/usage`,
      body: { subscriptionId: UNKNOWN, product: 'shots', amount: '1' },
    }),
    [400],
  ),
  getBuild: service('VIEWER', 'GET', '/versions/1.0.0/build'),
  getBuildLog: service('VIEWER', 'GET', '/versions/1.0.0/build/log'),
  publishServiceVersion: service(
    'MAINTAINER',
    'PUT',
    '/versions/1.0.0/publication',
    () => ({ visibility: 'INTERNAL' }),
    [409],
  ),

  getServiceLimits: service('VIEWER', 'GET', '/limits'),
  setServiceLimits: service('MAINTAINER', 'PUT', '/limits', () => ({ ...NO_LIMITS, executionsPerDay: 5 })),
  listServiceSubscriptions: service('VIEWER', 'GET', '/subscriptions'),
  setSubscriptionLimits: service('MAINTAINER', 'PUT', `/subscriptions/${UNKNOWN}/limits`, () => NO_LIMITS, [404]),

  createShare: service('MAINTAINER', 'POST', '/shares', (owned) => ({
    recipient: { type: 'USER', id: owned.recipientId },
    endDate: '2030-01-01 00:00:00',
  })),
  listShares: service('VIEWER', 'GET', '/shares'),
  getShare: share('VIEWER', 'GET'),
  changeShare: share('MAINTAINER', 'PATCH', { endDate: null }),
  deleteShare: share('MAINTAINER', 'DELETE'),
  // Its build takes longer than the request, and it is not published.
  startJob: service('MAINTAINER', 'POST', '/executions', () => ({}), [404]),
  startJobOfVersion: service('MAINTAINER', 'POST', '/versions/1.0.0/executions', () => ({}), [409]),
  listProvidedExecutions: service('VIEWER', 'GET', '/executions'),
  getProvidedRecord: service('VIEWER', 'GET', `/executions/${UNKNOWN}/record`, undefined, [404]),
  listOwnedExecutions: list('VIEWER', 'GET', '/service-executions'),
  getOwnedExecution: execution('VIEWER', 'GET', ''),
  getOwnedResult: execution('VIEWER', 'GET', '/result'),
  getOwnedResultFile: execution('VIEWER', 'GET', '/result/none.txt', [404]),
  describeOwnedResultFile: { ...execution('VIEWER', 'HEAD', '/result/none.txt', [404]), bodiless: true },
  getOwnedRecord: execution('VIEWER', 'GET', '/record'),
  getOwnedLog: execution('VIEWER', 'GET', '/log'),
  cancelOwnedExecution: execution('MAINTAINER', 'PUT', '/cancel'),
  deleteOwnedExecution: execution('MAINTAINER', 'DELETE', ''),
  getStorage: list('VIEWER', 'GET', '/storage'),
  setRetention: list('OWNER', 'PUT', '/storage/retention', () => ({ keepDays: 30 })),

  getWorkflowResult: workflow('VIEWER', 'GET', (of) => `/workflow-service-executions/${of.instanceId}/result`),
  setWorkflowApplication: workflow(
    'MAINTAINER',
    'PUT',
    (of) => `/services/${of.serviceId}/versions/1.0.0/workflow/application`,
    { applicationId: null },
  ),
  listWorkflowInstances: workflow('VIEWER', 'GET', (of) => `/services/${of.serviceId}/workflow-instances`),
  listWorkflowIncidents: workflow('VIEWER', 'GET', (of) => `/services/${of.serviceId}/workflow-incidents`),
  listWorkflowSchedules: workflow('VIEWER', 'GET', (of) => `/services/${of.serviceId}/workflow-schedules`),
  // Of a start event that is not there: 404 also for those who may.
  retryWorkflowSchedule: workflow(
    'MAINTAINER',
    'PUT',
    (of) => `/services/${of.serviceId}/workflow-schedules/begin/retry`,
    undefined,
    [404],
  ),
  publishWorkflowMessage: workflow('MAINTAINER', 'POST', (of) => `/services/${of.serviceId}/workflow-messages`, {
    name: 'arrived',
  }),
  broadcastWorkflowSignal: list('MAINTAINER', 'POST', '/workflow-signals', () => ({ name: 'arrived' })),
  getWorkflowInstance: workflow('VIEWER', 'GET', (of) => `/workflow-instances/${of.instanceId}`),
  getWorkflowJournal: workflow('VIEWER', 'GET', (of) => `/workflow-instances/${of.instanceId}/journal`),
  // Of an incident that is not there: 404 also for those who may.
  retryWorkflowIncident: workflow(
    'MAINTAINER',
    'PUT',
    (of) => `/workflow-instances/${of.instanceId}/incidents/1/retry`,
    {},
    [404],
  ),

  listSharedServices: list('VIEWER', 'GET', '/shared-services'),
  getSharedService: on(
    'VIEWER',
    async (owned) => ({ method: 'GET', path: `/shared-services/${await owned.service()}` }),
    [404],
  ),

  getListing: service('VIEWER', 'GET', '/listing', undefined, [404]),
  publishListing: service(
    'OWNER',
    'PUT',
    '/listing',
    () => ({ version: '1.0.0', categories: [], pricingPlans: [{ id: 'free', name: 'Free', type: 'FREE' }] }),
    [409],
  ),
  unpublishListing: service('OWNER', 'DELETE', '/listing', undefined, [404]),
  readCosts: list('VIEWER', 'GET', '/usage/costs?month=2026-01'),
  readRevenue: list('OWNER', 'GET', '/usage/revenue?month=2026-01'),
};

/** Endpoints that are about the caller or about people, not about what somebody owns: tested with the user account service. */
export const personalOperations: readonly string[] = [
  'getSignInPlace',
  'listRegistrations',
  'getRegistration',
  'changeRegistration',
  'renewSigningKeys',
  'listLayers',
  'rebuildLayer',
  'purgeLayer',
  'setStorageQuota',
  'recountStorage',
  'endExecution',
  'getMe',
  'updateMe',
  'deleteMe',
  'uploadProfileImage',
  'deleteProfileImage',
  'listAccessTokens',
  'createAccessToken',
  'renewDefaultAccessToken',
  'deleteAccessToken',
  'authorize',
  'getUser',
  'headUser',
  'getProfileImage',
  'getUsers',
  'getRegistrationStatus',
  'searchUsers',
  'createOrganization',
  'listOrganizations',
  'listOwnInvitations',
  'acceptInvitation',
  'declineInvitation',
  'browseMarketplace',
  'getMarketplaceService',
  'getMarketplaceApiSpecification',
];

/** Changes of no right, key or publication: they leave nothing in the audit log, and every other change one entry. */
export const unrecordedOperations: ReadonlySet<string> = new Set([
  'renameApplication',
  'createService',
  'updateService',
  'addServiceVersion',
  'replaceSource',
  'configureServiceVersion',
  'startJob',
  'startJobOfVersion',
  'cancelOwnedExecution',
  'uploadApiSpecification',
  'deleteApiSpecification',
  'updateDataPool',
  'publishWorkflowMessage',
  'broadcastWorkflowSignal',
  'uploadDataPoolFile',
  'deleteDataPoolFile',
  'qcUpdateDataPool',
  'qcAddFile',
  'qcDeleteFile',
  // To the owner that it has already: nothing changes.
  'transferDataPool',
]);

/** Recorded in the log of who gives and in that of who gets. */
export const transfers: ReadonlySet<string> = new Set(['transferApplication', 'transferService']);
