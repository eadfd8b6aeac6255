import { limits } from '@kethub/contract';
import { LimitFields } from '@kethub/server/settings';
import { ConnectionFields } from '@kethub/server/settings';
import { SchedulingFields } from '@kethub/server/settings';
import { SettingsSchema } from '@kethub/server/settings';
import { between, table } from './marks.ts';

/** Descriptions of the fixed limits. The types require a line for every new limit. */
const MEANINGS: Readonly<Record<keyof typeof limits, string>> = {
  executionInputBytes: 'Input of an execution',
  jsonDepth: 'Objects and lists within each other, in any JSON of a request',
  resultBytes: 'JSON result of an execution',
  outputBytes: 'Result files of an execution, together',
  outputFiles: 'Result files of an execution',
  logBytes: 'Log of an execution or a build',
  runTimeMs: 'Run time of an execution, at most',
  defaultRunTimeMs: 'Run time of an execution whose version asks for none',
  preferWaitSeconds: 'Wait that `Prefer: wait=N` is granted, in seconds',
  jsonBodyBytes: 'JSON body of a request to the platform interface, and a field of a form',
  sourceArchiveBytes: 'Uploaded ZIP',
  sourceUnpackedBytes: 'Unpacked ZIP',
  sourceFiles: 'Files in a ZIP',
  apiSpecificationBytes: 'Uploaded OpenAPI document',
  apiSpecificationDepth: 'Levels of an OpenAPI document',
  derivedSchemaBytes: 'Derived schema of a parameter',
  environmentBytes: 'Environment variables of a version, together',
  warmPods: 'Pods of a worker that wait for executions of one version',
  versionsShown: 'Versions shown with their service',
  providerTokenLength: 'Characters of a provider token',
  nameLength: 'Characters of a name',
  descriptionLength: 'Characters of a description',
  tokenNameLength: 'Characters of the name of a token',
  tokenOperations: 'Operations in the scope of a personal access token',
  tokenServices: 'Services in the scope of a personal access token',
  scopedTokenDays: 'Days for which a personal access token with a scope lives',
  currentPositionLength: 'Characters of a position in a profile',
  homepageLength: 'Characters of a homepage in a profile',
  aboutLength: 'Characters of the text about a person',
  profileImageBytes: 'Profile image',
  profileImagePixels: 'Pixels of a profile image',
  batchUsers: 'Ids in a batch of users',
  searchedUsers: 'People that a search shows',
  secretBytes: 'Secret of an execution',
  secrets: 'Secrets of an execution',
  tags: 'Tags of an execution',
  tagLength: 'Characters of a tag',
  idempotencyKeyLength: 'Characters of an Idempotency-Key',
  idempotencyKeepMs: 'Time for which answers are kept under an Idempotency-Key',
  pageSize: 'Entries of a page',
  emailLength: 'Characters of an e-mail address',
  idLength: 'Characters of an id of an identity provider',
  membersOfOrganization: 'Members of an organization, with invitations',
  summaryLength: 'Characters of a summary in the marketplace',
  documentationLength: 'Characters of a documentation in the marketplace',
  contactLength: 'Characters of a contact in the marketplace',
  pricingPlans: 'Pricing plans of a listing',
  productsOfPlan: 'Products of a pricing plan',
  marketplaceQueryLength: 'Characters of a search in the marketplace',
  sharesOfService: 'Shares of a service',
  subscriptionsOfApplication: 'Subscriptions of an application',
  accessKeysOfApplication: 'Access keys of an application that work',
  targetUrlLength: 'Characters of the address of an on-premise service',
  targetTimeoutSeconds: 'Time that an on-premise service is given, in seconds',
  usageReportMs: 'Age of use that is reported',
  invitationKeepMs: 'Time for which an invitation is open',
  dataPoolFileBytes: 'File of a data pool',
  filesOfDataPool: 'Files of a data pool',
  membersOfDataPool: 'Members of a data pool',
  membersOfImplementation: 'Members of an implementation',
  refsOfImplementation: 'Branches and tags of an implementation',
  importUrlLength: 'Characters of the address that a repository is imported from',
  importPasswordLength: 'Characters of the password for it',
  refChangesOfPush: 'Branches and tags that one push changes',
  treeEntries: 'Entries of a folder of a repository that are shown',
  changedFiles: 'Files of a diff that are shown',
  patchBytes: 'Patch of a diff that is shown',
  shownMessageBytes: 'Message of a commit that is shown',
  repositoryPathLength: 'Path of a file in a repository',
  commitMessageLength: 'Message of a commit that is made without Git',
  committedFiles: 'Files of a commit that is made without Git',
  committedBytes: 'Files of such a commit together',
  refLength: 'Name of a branch or tag of an implementation',
  implementationsQueryLength: 'Text of a search for public implementations',
  dataPoolsOfExecution: 'Data pools in the input of an execution',
  workflowBytes: 'BPMN file',
  workflowResultBytes: 'Result of a service that a task calls',
  workflowResultParts: 'Values in the result of a service that a task calls',
  workflowStateBytes: 'State of an instance of a workflow',
  workflowMessageKeepMs: 'Time for which a message waits for an instance',
  workflowSignalBytes: 'Variables of a signal',
  workflowSignalCount: 'Events that a signal reaches, as far as they are counted',
  workflowIncidentRetries: 'Incidents that one request tries again',
  workflowIncidentGroups: 'Groups of incidents that are listed',
  workflowScopes: 'Scopes of an instance whose variables are shown',
  elementTemplates: 'Element templates of an application',
  countedRows: 'Newest rows that are counted for an overview',
  fileNameBytes: 'Name of a file',
  mediaTypeLength: 'Characters of a media type',
};

interface Field {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: number | string;
}

/** docs/limits.md with the current limits. */
export function renewLimits(page: string): string {
  const names = Object.keys({ ...ConnectionFields, ...LimitFields, ...SchedulingFields });
  const properties: Readonly<Record<string, Field>> = SettingsSchema.properties;
  const bounds = /LIMIT|QUOTA|MOST|MAX|KEEP|STORAGE|RUN_TIME|SLOW|READERS|WAITS|POOL_MB|BODY/;
  const more = Object.keys(properties).filter((name) => bounds.test(name) && !names.includes(name));
  const rows = [...names, ...more].flatMap((name) => {
    const field = properties[name];
    if (!field || field.type === 'string') return [];
    const [meaning = '', dependent] = (field.description ?? '').split(/ Default: /);
    const value = field.default === undefined ? (dependent ?? '').replace(/\.$/, '') : amount(field.default);
    return [[`\`${name}\``, field.default === 0 ? 'off' : value, meaning]];
  });
  const fixed = Object.entries(MEANINGS).map(([name, meaning]) => [
    meaning,
    measure(name, limits[name as keyof typeof limits]),
  ]);
  return between(
    between(page, 'settings that protect', table(['Setting', 'Default', 'Meaning'], rows)),
    'limits that are fixed',
    table(['Limit of', 'At most'], fixed),
  );
}

function amount(value: number | string): string {
  return typeof value === 'number' ? value.toLocaleString('en') : value;
}

function measure(name: string, value: number): string {
  if (name.endsWith('Bytes')) return bytes(value);
  if (!name.endsWith('Ms')) return amount(value);
  const hours = value / 3_600_000;
  return hours > 24 ? `${amount(hours / 24)} days` : `${amount(hours)} h`;
}

function bytes(value: number): string {
  const unit = [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ] as const;
  const [size, name] = unit.find(([of]) => value >= of && value % of === 0) ?? [1, 'bytes'];
  return `${amount(value / size)} ${name}`;
}
