import { Type, type Static } from 'typebox';
import { Id, Owner, Request, Timestamp, VersionNumber, nullable } from './fields.ts';
import { limits } from './limits.ts';
import { memberRoles } from './organizations.ts';
import { NOT_BLANK, worded } from './patterns.ts';
import { RuntimeConfiguration } from './services.ts';

export const implementationVisibilities = ['PRIVATE', 'PUBLIC'] as const;
export type ImplementationVisibility = (typeof implementationVisibilities)[number];

/** The name of an implementation, which is the last segment of its address. */
export const ImplementationName = Type.String({
  minLength: 1,
  maxLength: limits.nameLength,
  pattern: worded(
    String.raw`^(?!.*\.\.)(?!.*\.(?:git|lock)$)[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?$`,
    'must have lower-case letters, digits, dots, - and _, begin with a letter or digit, and not end with a dot or .git',
  ),
  description: 'Last segment of the address, such as `portfolio-optimizer`.',
});

const BRANCH = String.raw`^(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))(?![-./])[^\u0000-\u0020\u007f~^:?*[\\]+(?<![./])$`;
const branch = new RegExp(BRANCH, 'u');

/** A branch without `refs/heads/`. */
export const BranchName = Type.String({
  minLength: 1,
  maxLength: limits.refLength,
  pattern: worded(BRANCH, 'must be the name of a branch, such as main'),
});

/** Returns whether Git accepts a branch or a tag of this name. */
export function isRefName(name: string): boolean {
  return name.length <= limits.refLength && name.isWellFormed() && name !== '@' && branch.test(name);
}

const Description = Type.String({ maxLength: limits.descriptionLength });
const Visibility = Type.Enum([...implementationVisibilities], {
  description: 'PRIVATE: owner and members. PUBLIC: anybody can clone and read it, also without an account.',
});
const Role = Type.Enum([...memberRoles], {
  description: 'VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion.',
});

/** Patterns of branches that are protected. */
const MOST_PATTERNS = 50;

export const BranchProtection = Type.Object(
  {
    defaultBranch: Type.Boolean({ description: 'True: the default branch is protected.' }),
    patterns: Type.Array(Type.String({ minLength: 1, maxLength: limits.refLength }), {
      maxItems: MOST_PATTERNS,
      description: 'Further protected branches; `*` stands for any text, as in `release/*`.',
    }),
  },
  {
    $id: 'BranchProtection',
    additionalProperties: false,
    description: 'Branches that a push can neither delete nor rewrite, whoever pushes.',
  },
);
export type BranchProtection = Static<typeof BranchProtection>;

export const Implementation = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String(),
    visibility: Visibility,
    owner: Owner,
    role: Role,
    cloneUrl: Type.String({ description: 'Address for `git clone`.' }),
    formerUrls: Type.Array(Type.String(), {
      description: 'Addresses from before a change of name or owner, which still answer. Empty in lists.',
    }),
    defaultBranch: Type.String(),
    head: nullable('string', { description: 'Commit of the default branch; null while that branch does not exist.' }),
    buildable: Type.Unsafe<'PYTHON_TEMPLATE' | 'DOCKER' | null>({
      type: ['string', 'null'],
      enum: ['PYTHON_TEMPLATE', 'DOCKER', null],
      description:
        'Runtime of the service that the default branch makes: DOCKER with a `Dockerfile` or `Containerfile` at its root, PYTHON_TEMPLATE with `src/program.py`, else null.',
    }),
    bytes: Type.Integer({ description: 'Size of the repository after the last push.' }),
    protection: BranchProtection,
    readOnly: Type.Unsafe<'IMPORT' | 'MIRROR' | null>({
      type: ['string', 'null'],
      enum: ['IMPORT', 'MIRROR', null],
      description:
        'Reason why nobody can push: IMPORT while it is being imported, MIRROR while it follows another repository; else null.',
    }),
    pushedAt: Type.Optional(Timestamp),
    createdAt: Timestamp,
  },
  { $id: 'Implementation', description: 'A Git repository; `role` is that of the caller.' },
);
export type Implementation = Static<typeof Implementation>;

export const CreateImplementationRequest = Request(
  {
    name: ImplementationName,
    description: Type.Optional(Description),
    visibility: Type.Optional(Visibility),
    defaultBranch: Type.Optional(BranchName),
  },
  { $id: 'CreateImplementationRequest' },
);
export type CreateImplementationRequest = Static<typeof CreateImplementationRequest>;

export const UpdateImplementationRequest = Request(
  {
    name: Type.Optional(ImplementationName),
    description: Type.Optional(Description),
    visibility: Type.Optional(Visibility),
    defaultBranch: Type.Optional(BranchName),
    protection: Type.Optional(BranchProtection),
  },
  { $id: 'UpdateImplementationRequest', minProperties: 1 },
);
export type UpdateImplementationRequest = Static<typeof UpdateImplementationRequest>;

export const ImplementationMember = Type.Object(
  {
    type: Type.Enum(['USER', 'ORGANIZATION']),
    id: Type.String({ description: 'Id of the user or organization.' }),
    role: Role,
    addedAt: Timestamp,
  },
  { $id: 'ImplementationMember', description: 'A user or an organization with a role beside the owner.' },
);
export type ImplementationMember = Static<typeof ImplementationMember>;

export const ImplementationMemberRequest = Request({ role: Role }, { $id: 'ImplementationMemberRequest' });

export const CreateServiceOfImplementationRequest = Request(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.nameLength,
        pattern: NOT_BLANK,
        description: 'Name of the service; that of the implementation when it is left out.',
      }),
    ),
    description: Type.Optional(Description),
    ref: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.refLength,
        description: 'Branch, tag or commit; the default branch when it is left out.',
      }),
    ),
    version: Type.Optional(VersionNumber),
    configuration: Type.Optional(RuntimeConfiguration),
  },
  { $id: 'CreateServiceOfImplementationRequest' },
);
export type CreateServiceOfImplementationRequest = Static<typeof CreateServiceOfImplementationRequest>;

/** The most versions that the list of services of an implementation holds. */
export const MOST_MADE_VERSIONS = 200;

export const MadeVersion = Type.Object(
  {
    serviceId: Id,
    serviceName: Type.String(),
    version: Type.String(),
    state: Type.Enum(['DRAFT', 'PUBLISHED', 'RETIRED']),
    ref: Type.String({ description: 'Branch or tag.' }),
    commit: Type.String({ description: 'Commit, 40 hexadecimal digits.' }),
    createdAt: Timestamp,
  },
  { $id: 'MadeVersion', description: 'A version of a service whose source is a commit of an implementation.' },
);
export type MadeVersion = Static<typeof MadeVersion>;

const automation = {
  implementationId: Id,
  on: Type.Enum(['BRANCH', 'TAG'], {
    description:
      'BRANCH: each push to it makes the next draft, or replaces the draft that there is. TAG: the greatest tag such as `v1.2.3` or `1.2.3` makes the version 1.2.3.',
  }),
  pattern: Type.String({
    minLength: 1,
    maxLength: limits.refLength,
    description: 'Name of the branch; of tags a name in which `*` stands for any text, such as `v*`.',
  }),
  action: Type.Enum(['DRAFT', 'PUBLISH'], {
    description: 'PUBLISH: a version is published as INTERNAL when its build has succeeded. Only an OWNER sets it.',
  }),
};

export const ServiceSourceRequest = Request(automation, { $id: 'ServiceSourceRequest' });
export type ServiceSourceRequest = Static<typeof ServiceSourceRequest>;

export const ServiceSource = Type.Object(
  {
    ...automation,
    lastCommit: nullable('string', { description: 'Commit that the last version was made of.' }),
    lastVersion: nullable('string', { description: 'Number of that version.' }),
    problem: nullable('string', { description: 'Reason why the last push made no version; null if it did.' }),
  },
  { $id: 'ServiceSource', description: 'Rules by which pushes to an implementation become versions of a service.' },
);
export type ServiceSource = Static<typeof ServiceSource>;

const credential = {
  credential: Type.Optional(
    Request(
      {
        username: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: limits.nameLength,
            pattern: worded(String.raw`^[^\u0000-\u001f\u007f:]+$`, 'must have no control characters and no colon'),
            description: 'Name for the other server; `git` when it is left out, as suits most tokens.',
          }),
        ),
        password: Type.String({
          minLength: 1,
          maxLength: limits.importPasswordLength,
          pattern: worded(String.raw`^[^\u0000-\u001f\u007f]+$`, 'must have no control characters'),
          description: 'Token or password for the other server.',
        }),
      },
      {
        description:
          'The credential for the other server. Kept sealed, never shown, and erased when the import ends; kept for a mirror.',
      },
    ),
  ),
};

export const ImportImplementationRequest = Request(
  {
    url: Type.String({
      minLength: 1,
      maxLength: limits.importUrlLength,
      description: 'Address of a Git repository, such as `https://example.org/lab/solver.git`. Only https.',
    }),
    name: ImplementationName,
    description: Type.Optional(Description),
    visibility: Type.Optional(Visibility),
    mirror: Type.Optional(
      Type.Boolean({
        description: 'True: it follows the other repository every hour, and nobody can push to it.',
      }),
    ),
    ...credential,
  },
  { $id: 'ImportImplementationRequest' },
);
export type ImportImplementationRequest = Static<typeof ImportImplementationRequest>;

export const RestartImportRequest = Request(credential, { $id: 'RestartImportRequest' });
export type RestartImportRequest = Static<typeof RestartImportRequest>;

export const ImplementationImport = Type.Object(
  {
    implementationId: Id,
    url: Type.String(),
    mirror: Type.Boolean(),
    state: Type.Enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'], {
      description: 'State of the last run. A mirror runs again at `nextAt`.',
    }),
    progress: nullable('string', { description: 'Step that goes on, such as `Receiving objects: 45%`.' }),
    problem: nullable('string', { description: 'Reason why the last run has failed; null if it has not.' }),
    failures: Type.Integer({ description: 'Failed runs since the last that succeeded. After 10 a mirror is off.' }),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    nextAt: Type.Optional(Timestamp),
  },
  { $id: 'ImplementationImport', description: 'The origin of an implementation, and the progress of its import.' },
);
export type ImplementationImport = Static<typeof ImplementationImport>;

export const ImplementationInvitation = Type.Object(
  {
    id: Id,
    implementationId: Id,
    implementationName: Type.String(),
    owner: Owner,
    email: Type.String(),
    role: Role,
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  {
    $id: 'ImplementationInvitation',
    description: 'A person with this verified e-mail address may become a member until it expires.',
  },
);
export type ImplementationInvitation = Static<typeof ImplementationInvitation>;
