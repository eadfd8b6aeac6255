/**
 * Endpoints whose access is a property of the caller, not an operation on owned resources. Tests of their rooms
 * cover them.
 */
export const personalOperations: readonly string[] = [
  'getSignInEndpoint',
  'getSession',
  'endSessions',
  'download',
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
  'findOrganizations',
  'createOrganization',
  'listOrganizations',
  'listOwnInvitations',
  'acceptInvitation',
  'declineInvitation',
  'listOwnImplementationInvitations',
  'acceptImplementationInvitation',
  'declineImplementationInvitation',
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
  'createResultFileTicket',
  'createBuildLogTicket',
  'createSourceTicket',
  'createDataPoolFileTicket',
  'renameApplication',
  'createService',
  'updateService',
  'addServiceVersion',
  'replaceSource',
  'restartBuild',
  'cancelBuild',
  'deleteServiceVersion',
  'configureServiceVersion',
  'startJob',
  'startJobOfVersion',
  'cancelOwnedExecution',
  'uploadApiSpecification',
  'deleteApiSpecification',
  'updateDataPool',
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
