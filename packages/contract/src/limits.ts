/** Limits that callers can see, in one place. Sizes in bytes, times in milliseconds, lengths in characters. */
export const limits = {
  /** Body of `POST /` on a service: the whole JSON text. */
  executionInputBytes: 16 * 1024 * 1024,
  /** Objects and lists within each other, in any JSON that a request brings. */
  jsonDepth: 1_000,
  /** JSON result of one execution. */
  resultBytes: 64 * 1024 * 1024,
  /** All result files of one execution together. */
  outputBytes: 2 * 1024 * 1024 * 1024,
  outputFiles: 1_000,
  /** Log of one execution or build; what comes after is cut, and the log says so. */
  logBytes: 10 * 1024 * 1024,
  runTimeMs: 24 * 60 * 60 * 1000,
  /** Run time of a version whose configuration says nothing. */
  defaultRunTimeMs: 60 * 60 * 1000,
  /** Longest wait that `Prefer: wait=N` is granted, in seconds. */
  preferWaitSeconds: 60,
  /** A platform request with a JSON body. */
  jsonBodyBytes: 1024 * 1024,
  /** Uploaded ZIP of a service, and what it unpacks to. */
  sourceArchiveBytes: 64 * 1024 * 1024,
  sourceUnpackedBytes: 256 * 1024 * 1024,
  sourceFiles: 5_000,
  /** Uploaded OpenAPI document, as text and as JSON. */
  apiSpecificationBytes: 512 * 1024,
  apiSpecificationDepth: 64,
  /** Schema of one parameter of run(); a larger one is left out of what is derived. */
  derivedSchemaBytes: 64 * 1024,
  /** All environment variables of a version together. */
  environmentBytes: 128 * 1024,
  /** Versions shown with their service. */
  versionsShown: 20,
  providerTokenLength: 4_096,
  nameLength: 100,
  descriptionLength: 5_000,
  tokenNameLength: 200,
  currentPositionLength: 200,
  homepageLength: 2_048,
  aboutLength: 5_000,
  /** Uploaded profile image, and what it unpacks to. */
  profileImageBytes: 5 * 1024 * 1024,
  profileImagePixels: 40_000_000,
  batchUsers: 200,
  searchedUsers: 20,
  secretBytes: 64 * 1024,
  secrets: 100,
  /** Tags of one execution. All of them together fit into one notification of PostgreSQL (8,000 bytes). */
  tags: 20,
  tagLength: 64,
  idempotencyKeyLength: 255,
  idempotencyKeepMs: 24 * 60 * 60 * 1000,
  pageSize: 1_000,
  /** An e-mail address as RFC 5321 bounds it (4.5.3.1.3, without the angle brackets). */
  emailLength: 254,
  /** An id that an identity provider has made. */
  idLength: 255,
  membersOfOrganization: 1_000,
  /** Of a listing in the marketplace. */
  summaryLength: 300,
  documentationLength: 50_000,
  contactLength: 1_000,
  pricingPlans: 10,
  productsOfPlan: 20,
  marketplaceQueryLength: 200,
  sharesOfService: 1_000,
  subscriptionsOfApplication: 1_000,
  /** That still work: the newest, and those before it during their overlap. */
  accessKeysOfApplication: 20,
  targetUrlLength: 2_000,
  targetTimeoutSeconds: 3_600,
  /** How long after it happened use can be reported. */
  usageReportMs: 35 * 24 * 60 * 60 * 1000,
  invitationKeepMs: 14 * 24 * 60 * 60 * 1000,
  /** One file of a data pool. */
  dataPoolFileBytes: 5 * 1024 * 1024 * 1024,
  filesOfDataPool: 10_000,
  membersOfDataPool: 1_000,
  /** Data pools in the input of one execution. */
  dataPoolsOfExecution: 20,
  /** BPMN file of a workflow service. */
  workflowBytes: 2 * 1024 * 1024,
  /** Result of a service that a task of a workflow calls. */
  workflowResultBytes: 12 * 1024 * 1024,
  /** Objects and arrays in it: each takes memory and time of the engine that its bytes do not show. */
  workflowResultParts: 500_000,
  /** All that an instance keeps: variables and what waits. */
  workflowStateBytes: 48 * 1024 * 1024,
  /** How long a message can wait for an instance that wants it. */
  workflowMessageKeepMs: 7 * 24 * 60 * 60 * 1000,
  /** The variables of a signal, in JSON: they are copied for each instance that receives it. */
  workflowSignalBytes: 64 * 1024,
  /** Up to so many it is counted how many events receive a signal. */
  workflowSignalCount: 10_000,
  /** The name of a file, in UTF-8: what file systems take. */
  fileNameBytes: 255,
  mediaTypeLength: 200,
} as const;
