import {
  application,
  commitForm,
  dataPool,
  execution,
  fileForm,
  implementation,
  inside,
  list,
  on,
  qcPool,
  repository,
  service,
  share,
  workflow,
  type Row,
} from './matrix-rows.ts';

const NO_LIMITS = { requestsPerMinute: null, executionsPerDay: null, executionsPerMonth: null };
const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';

/** Every operation on resources of the platform interface by its id, with the permitted role and a request. */
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
  // The service is not published: 404 also for those who may subscribe.
  subscribe: application('MAINTAINER', 'POST', '/subscriptions', { serviceId: UNKNOWN }, [404]),
  listSubscriptions: application('VIEWER', 'GET', '/subscriptions'),
  listElementTemplates: application('VIEWER', 'GET', '/element-templates'),
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
  // The organization owns the pool and is not one of its members.
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

  listImplementations: list('VIEWER', 'GET', '/implementations'),
  createImplementation: {
    ...list('MAINTAINER', 'POST', '/implementations'),
    request: (owned) => ({ method: 'POST', path: '/implementations', body: { name: owned.newName() } }),
  },
  getImplementation: implementation('VIEWER', 'GET', ''),
  updateImplementation: implementation('OWNER', 'PATCH', '', () => ({ description: 'x' })),
  deleteImplementation: implementation('OWNER', 'DELETE', ''),
  transferImplementation: implementation('OWNER', 'PUT', '/owner', (owned) => ({
    type: 'ORGANIZATION',
    id: owned.organizationId,
  })),
  releaseImplementationAddress: implementation('OWNER', 'DELETE', '/addresses/nobody/none', undefined, [404]),
  // The organization owns the implementation and is not one of its members.
  leaveImplementation: implementation('OWNER', 'DELETE', '/membership', undefined, [409]),
  listImplementationMembers: implementation('MAINTAINER', 'GET', '/members'),
  putImplementationMember: implementation(
    'OWNER',
    'PUT',
    async (owned) => `/members/USER/${await owned.memberId()}`,
    () => ({ role: 'VIEWER' }),
  ),
  removeImplementationMember: implementation('OWNER', 'DELETE', `/members/USER/${UNKNOWN}`, undefined, [404]),

  listImplementationRefs: repository('VIEWER', 'GET', '/refs'),
  readImplementationTree: repository('VIEWER', 'GET', '/tree', [404]),
  readImplementationFile: repository('VIEWER', 'GET', '/file?path=a.txt', [404]),
  listImplementationCommits: repository('VIEWER', 'GET', '/commits', [404]),
  readImplementationCommit: repository('VIEWER', 'GET', '/commits/main', [404]),
  compareImplementationRefs: repository('VIEWER', 'GET', '/compare?base=main&head=main', [404]),
  commitToImplementation: on('MAINTAINER', async (owned) => ({
    method: 'POST',
    path: `/-/implementations/${await owned.implementation()}/commits`,
    body: commitForm(),
  })),
  createServiceOfImplementation: on(
    'MAINTAINER',
    async (owned) => ({
      method: 'POST',
      path: `/-/implementations/${await owned.implementation()}/services`,
      body: {},
    }),
    [404],
  ),
  downloadImplementationArchive: repository('VIEWER', 'GET', '/archive', [404]),

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
  // The subscription does not exist: 400 also for those who may report.
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
  listEvents: list('VIEWER', 'GET', '/events'),
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
  countWorkflowInstances: workflow('VIEWER', 'GET', (of) => `/services/${of.serviceId}/workflow-instances/counts`),
  listAllWorkflowIncidents: list('VIEWER', 'GET', '/workflow-incidents'),
  listWorkflowIncidentGroups: list('VIEWER', 'GET', '/workflow-incident-groups'),
  retryWorkflowIncidents: on('MAINTAINER', async (owned) => ({
    method: 'PUT',
    path: '/workflow-incidents/retry',
    body: { serviceId: (await owned.workflow()).serviceId },
  })),
  listWorkflowSchedules: workflow('VIEWER', 'GET', (of) => `/services/${of.serviceId}/workflow-schedules`),
  // The start event does not exist: 404 also for those who may.
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
  // The incident does not exist: 404 also for those who may.
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

/**
 * Endpoints whose access is a property of the caller, not an operation on owned resources. Tests of their rooms
 * cover them.
 */
export const personalOperations: readonly string[] = [
  'getSignInEndpoint',
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
  'listPublicImplementations',
  'browseMarketplace',
  'getMarketplaceService',
  'getMarketplaceApiSpecification',
];

/**
 * Operations that change no right, key or publication. They add nothing to the audit log; any other change adds one
 * entry.
 */
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
  'commitToImplementation',
  'createServiceOfImplementation',
  'publishWorkflowMessage',
  'broadcastWorkflowSignal',
  'uploadDataPoolFile',
  'deleteDataPoolFile',
  'qcUpdateDataPool',
  'qcAddFile',
  'qcDeleteFile',
  // The request names the present owner, so nothing changes.
  'transferDataPool',
  'transferImplementation',
]);

/** Operations that are recorded in the logs of both the old and the new owner. */
export const transfers: ReadonlySet<string> = new Set(['transferApplication', 'transferService']);
