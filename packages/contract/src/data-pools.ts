import { Type, type Static } from 'typebox';
import { Id, Owner, Request, Timestamp } from './fields.ts';
import { limits } from './limits.ts';
import { memberRoles } from './organizations.ts';
import { NOT_BLANK, worded } from './patterns.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength, pattern: NOT_BLANK });
const Description = Type.String({ maxLength: limits.descriptionLength });
const Role = Type.Enum([...memberRoles], {
  description: 'VIEWER reads files, MAINTAINER changes them as well, OWNER also manages members and deletion.',
});

export const DataPool = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String(),
    owner: Owner,
    role: Role,
    files: Type.Integer({ description: 'Number of its files.' }),
    bytes: Type.Integer({ description: 'Size of all its files together.' }),
    createdAt: Timestamp,
  },
  { $id: 'DataPool', description: 'Files that executions can read; `role` is that of the caller.' },
);
export type DataPool = Static<typeof DataPool>;

export const CreateDataPoolRequest = Request(
  { name: Name, description: Type.Optional(Description) },
  { $id: 'CreateDataPoolRequest' },
);
export type CreateDataPoolRequest = Static<typeof CreateDataPoolRequest>;

export const UpdateDataPoolRequest = Request(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { $id: 'UpdateDataPoolRequest', minProperties: 1 },
);
export type UpdateDataPoolRequest = Static<typeof UpdateDataPoolRequest>;

export const DataPoolMember = Type.Object(
  {
    type: Type.Enum(['USER', 'ORGANIZATION']),
    id: Type.String({ description: 'Id of the user or organization.' }),
    role: Role,
    addedAt: Timestamp,
  },
  { $id: 'DataPoolMember', description: 'A user or organization that may use a data pool beside its owner.' },
);
export type DataPoolMember = Static<typeof DataPoolMember>;

export const DataPoolMemberRequest = Request({ role: Role }, { $id: 'DataPoolMemberRequest' });

/** Characters that file names may not contain: control characters, path separators, and changes of text direction. */
const REFUSED = String.raw`\u0000-\u001f\u007f-\u009f/\\\u202a-\u202e\u2066-\u2069`;

const FILE_NAME = `^(?!\\.{1,2}$)[^${REFUSED}]+$`;

/** A plain file name. Beyond the pattern, its UTF-8 form may have at most `limits.fileNameBytes`. */
export const FileName = Type.String({
  minLength: 1,
  maxLength: limits.fileNameBytes,
  pattern: worded(FILE_NAME, 'must be a plain file name, without slashes and control characters'),
  description: `A plain name without slashes or control characters, at most ${limits.fileNameBytes} bytes in UTF-8.`,
});
const fileName = new RegExp(FILE_NAME, 'u');

/** Returns whether a data pool can contain a file with this name. */
export function isFileName(name: string): boolean {
  return fileName.test(name) && name.isWellFormed() && new TextEncoder().encode(name).length <= limits.fileNameBytes;
}

export const DataPoolFile = Type.Object(
  {
    id: Id,
    name: Type.String(),
    bytes: Type.Integer(),
    mediaType: Type.String({ description: 'As it was uploaded.' }),
    digest: Type.String({ description: 'SHA-256 of the content, in hex; quoted, it is the entity tag.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'DataPoolFile' },
);
export type DataPoolFile = Static<typeof DataPoolFile>;

/** A reference to a data pool in the input of an execution. Its key is the name of the parameter. */
export const DataPoolReference = Type.Object(
  {
    id: Id,
    ref: Type.Enum(['DATAPOOL', 'datapool']),
    grant: Type.Optional(
      Type.String({ description: 'Token with which somebody lends the application their rights on the data pool.' }),
    ),
  },
  { $id: 'DataPoolReference', additionalProperties: false },
);
export type DataPoolReference = Static<typeof DataPoolReference>;
