/**
 * Public limits; a request beyond one is refused, unless its comment says otherwise. `…Bytes` are bytes, `…Ms`
 * milliseconds, `…Seconds` seconds, `…Length` characters, and other names are numbers of items.
 */
export const limits = {
  /** Body of `POST /` on a service: the whole JSON text. */
  executionInputBytes: 16 * 1024 * 1024,
  /** Levels of nested objects and lists in the JSON of a request. */
  jsonDepth: 1_000,
  /** JSON result of an execution. */
  resultBytes: 64 * 1024 * 1024,
  /** Total of all result files of an execution. */
  outputBytes: 2 * 1024 * 1024 * 1024,
  outputFiles: 1_000,
  /** Log of an execution or build. A longer log is cut off, and says so. */
  logBytes: 10 * 1024 * 1024,
  runTimeMs: 24 * 60 * 60 * 1000,
  /** Run time of a version whose configuration sets none. */
  defaultRunTimeMs: 60 * 60 * 1000,
  /** Longest wait for `Prefer: wait=N`; a longer one is shortened to it. */
  preferWaitSeconds: 60,
  /** JSON body of a platform request. */
  jsonBodyBytes: 1024 * 1024,
  /** Uploaded ZIP of a service, and its unpacked files. */
  sourceArchiveBytes: 64 * 1024 * 1024,
  sourceUnpackedBytes: 256 * 1024 * 1024,
  sourceFiles: 5_000,
  /** Uploaded OpenAPI document, as text and as JSON. */
  apiSpecificationBytes: 512 * 1024,
  apiSpecificationDepth: 64,
  /** Schema of a parameter of run(). A larger one is left out of the derived OpenAPI document. */
  derivedSchemaBytes: 64 * 1024,
  /** Total of all environment variables of a version. */
  environmentBytes: 128 * 1024,
  /** Pods of a worker that wait for executions of a version. */
  warmPods: 10,
  /** Versions shown with their service; others are left out. */
  versionsShown: 20,
  providerTokenLength: 4_096,
  nameLength: 100,
  descriptionLength: 5_000,
  tokenNameLength: 200,
  /** Operations that the scope of a personal access token can name. */
  tokenOperations: 200,
  /** Services that the scope of a personal access token can name. */
  tokenServices: 100,
  /** Days for which a personal access token with a scope lives at most. */
  scopedTokenDays: 366,
  currentPositionLength: 200,
  homepageLength: 2_048,
  aboutLength: 5_000,
  /** Uploaded profile image, and its decoded pixels. */
  profileImageBytes: 5 * 1024 * 1024,
  profileImagePixels: 40_000_000,
  batchUsers: 200,
  searchedUsers: 20,
  secretBytes: 64 * 1024,
  secrets: 100,
  /** Tags of an execution. All of them fit into one notification of PostgreSQL (8,000 bytes). */
  tags: 20,
  tagLength: 64,
  idempotencyKeyLength: 255,
  idempotencyKeepMs: 24 * 60 * 60 * 1000,
  pageSize: 1_000,
  /** Email address (RFC 5321 §4.5.3.1.3, without the angle brackets). */
  emailLength: 254,
  /** Id from an identity provider. */
  idLength: 255,
  membersOfOrganization: 1_000,
  /** Summary of a listing in the marketplace. */
  summaryLength: 300,
  documentationLength: 50_000,
  contactLength: 1_000,
  pricingPlans: 10,
  productsOfPlan: 20,
  marketplaceQueryLength: 200,
  sharesOfService: 1_000,
  subscriptionsOfApplication: 1_000,
  /** Valid access keys: the newest, and earlier ones during their overlap. */
  accessKeysOfApplication: 20,
  targetUrlLength: 2_000,
  targetTimeoutSeconds: 3_600,
  /** Time after use within which a provider can report it. */
  usageReportMs: 35 * 24 * 60 * 60 * 1000,
  invitationKeepMs: 14 * 24 * 60 * 60 * 1000,
  /** A file of a data pool. */
  dataPoolFileBytes: 5 * 1024 * 1024 * 1024,
  filesOfDataPool: 10_000,
  membersOfDataPool: 1_000,
  membersOfImplementation: 1_000,
  refsOfImplementation: 10_000,
  /** Address that a repository is imported from, and the password for it. */
  importUrlLength: 2_000,
  importPasswordLength: 2_000,
  /** Branches and tags that one push changes. */
  refChangesOfPush: 1_000,
  /** Entries of a folder of a repository that are shown. */
  treeEntries: 5_000,
  /** Files and bytes of a diff that are shown. */
  changedFiles: 300,
  patchBytes: 2 * 1024 * 1024,
  /** Bytes of the message and of each name of a commit that are shown. */
  shownMessageBytes: 64 * 1024,
  /** Path of a file in a repository. */
  repositoryPathLength: 4_096,
  commitMessageLength: 10_000,
  /** Files and bytes of a commit that is made without Git. */
  committedFiles: 5_000,
  committedBytes: 256 * 1024 * 1024,
  /** Name of a branch or tag of an implementation. */
  refLength: 250,
  implementationsQueryLength: 100,
  /** Data pools in the input of an execution. */
  dataPoolsOfExecution: 20,
  /** BPMN file of a workflow service. */
  workflowBytes: 2 * 1024 * 1024,
  /** Result of a service that a task of a workflow calls. */
  workflowResultBytes: 12 * 1024 * 1024,
  /** Objects and arrays in such a result, each of which costs the engine memory and time beyond its bytes. */
  workflowResultParts: 500_000,
  /** State of an instance: its variables, and all that it waits for. */
  workflowStateBytes: 48 * 1024 * 1024,
  /** Time for which a message can wait for an instance. */
  workflowMessageKeepMs: 7 * 24 * 60 * 60 * 1000,
  /** Variables of a signal as JSON, which are copied for each instance that receives it. */
  workflowSignalBytes: 64 * 1024,
  /** Receivers of a signal that are counted; more are reported as this number. */
  workflowSignalCount: 10_000,
  /** Incidents that one request retries. */
  workflowIncidentRetries: 1_000,
  /** Scopes of an instance whose variables are shown, the oldest first. */
  workflowScopes: 200,
  /** Groups of incidents that are listed, the largest first. */
  workflowIncidentGroups: 100,
  /** Subscriptions of an application that are described as element templates, the newest first. */
  elementTemplates: 200,
  /** Newest rows that are counted for an overview. */
  countedRows: 100_000,
  /** Name of a file in UTF-8, as file systems allow it. */
  fileNameBytes: 255,
  mediaTypeLength: 200,
} as const;
