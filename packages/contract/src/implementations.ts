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
  description: 'PRIVATE: owner and members. PUBLIC: anybody can clone it, and every approved user can read it here.',
});
const Role = Type.Enum([...memberRoles], {
  description: 'VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion.',
});

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
  { $id: 'ServiceSource', description: 'Which pushes to an implementation become versions of a service.' },
);
export type ServiceSource = Static<typeof ServiceSource>;
