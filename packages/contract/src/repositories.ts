import { Type, type Static } from 'typebox';
import { Timestamp, nullable } from './fields.ts';
import { limits } from './limits.ts';

const Sha = Type.String({ description: 'Commit, 40 hexadecimal digits.' });

export const RepositoryRef = Type.Object(
  { name: Type.String({ description: 'Without `refs/heads/` or `refs/tags/`.' }), commit: Sha, committedAt: Timestamp },
  { $id: 'RepositoryRef' },
);

export const RepositoryRefs = Type.Object(
  {
    defaultBranch: Type.String(),
    head: nullable('string', { description: 'Commit of the default branch; null while that branch does not exist.' }),
    branches: Type.Array(RepositoryRef),
    tags: Type.Array(RepositoryRef),
  },
  { $id: 'RepositoryRefs' },
);
export type RepositoryRefs = Static<typeof RepositoryRefs>;

export const TreeEntry = Type.Object(
  {
    name: Type.String(),
    type: Type.Enum(['FILE', 'FOLDER', 'LINK', 'SUBMODULE']),
    id: Type.String({ description: 'Git object.' }),
    bytes: Type.Optional(Type.Integer({ description: 'Size of a file or a link.' })),
    isExecutable: Type.Optional(Type.Boolean()),
  },
  { $id: 'TreeEntry' },
);
export type TreeEntry = Static<typeof TreeEntry>;

export const RepositoryTree = Type.Object(
  {
    commit: Sha,
    path: Type.String({ description: 'Folder; empty for the root.' }),
    entries: Type.Array(TreeEntry, { description: `At most ${limits.treeEntries}, folders first.` }),
    isCut: Type.Boolean({ description: 'True if the folder has more entries.' }),
  },
  { $id: 'RepositoryTree' },
);
export type RepositoryTree = Static<typeof RepositoryTree>;

const commit = {
  id: Sha,
  parents: Type.Array(Sha),
  author: Type.String({ description: 'Name of the author.' }),
  authoredAt: Timestamp,
  committedAt: Timestamp,
  message: Type.String({ description: `The first ${limits.shownMessageBytes} bytes of it.` }),
};

export const RepositoryCommit = Type.Object(commit, { $id: 'RepositoryCommit' });
export type RepositoryCommit = Static<typeof RepositoryCommit>;

export const ChangedFile = Type.Object(
  {
    path: Type.String(),
    formerPath: Type.Optional(Type.String({ description: 'Earlier path of a renamed file.' })),
    change: Type.Enum(['ADDED', 'MODIFIED', 'DELETED', 'RENAMED', 'TYPE_CHANGED']),
    added: Type.Optional(Type.Integer({ description: 'Lines; absent for a binary file.' })),
    removed: Type.Optional(Type.Integer({ description: 'Lines; absent for a binary file.' })),
  },
  { $id: 'ChangedFile' },
);
export type ChangedFile = Static<typeof ChangedFile>;

const difference = {
  files: Type.Array(ChangedFile, { description: `At most ${limits.changedFiles}.` }),
  patch: Type.String({ description: `Unified diff of them, at most ${limits.patchBytes} bytes.` }),
  isCut: Type.Boolean({ description: 'True if files or a part of the patch were left out.' }),
};

export const CommitDetails = Type.Object(
  { ...commit, ...difference },
  { $id: 'CommitDetails', description: 'A commit with its changes against its first parent.' },
);
export type CommitDetails = Static<typeof CommitDetails>;

export const Comparison = Type.Object(
  {
    base: Sha,
    head: Sha,
    mergeBase: nullable('string', { description: 'Common ancestor that the changes are counted from, or null.' }),
    ahead: Type.Integer({ description: 'Commits of the head that the base lacks.' }),
    behind: Type.Integer({ description: 'Commits of the base that the head lacks.' }),
    commits: Type.Array(RepositoryCommit, {
      description: 'Commits of the head that the base lacks, newest first; at most 100.',
    }),
    ...difference,
  },
  { $id: 'Comparison' },
);
export type Comparison = Static<typeof Comparison>;

/** The commit that a request has made. */
export const MadeCommit = Type.Object(
  { commit: Sha, branch: Type.String() },
  { $id: 'MadeCommit', description: 'The commit that the request has made.' },
);
