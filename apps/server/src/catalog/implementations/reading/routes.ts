import {
  BranchName,
  Comparison,
  CommitDetails,
  Id,
  limits,
  RepositoryCommit,
  RepositoryRefs,
  RepositoryTree,
} from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { platformEndpoint as endpoint, type PlatformEndpoint } from '../../../foundation/http/index.ts';
import type { Caller, Platform } from '../../../foundation/platform.ts';
import type { Reader } from '../rights.ts';
import type { GitStore } from '../store.ts';
import { callerName } from '../transport/slots.ts';
import { readArchive, readFile } from './download.ts';
import { compare, MOST_COMMITS, readCommit, readFolder, readHistory, showRefs } from './operations.ts';

const tag = 'Implementations';
const base = '/-/implementations/:implementationId';
const path = Type.Object({ implementationId: Id });
const Ref = Type.String({
  minLength: 1,
  maxLength: limits.refLength,
  description: 'Branch, tag or commit; the default branch when it is left out.',
});
const Path = Type.String({
  minLength: 1,
  maxLength: limits.repositoryPathLength,
  description: 'Names with slashes between, such as `src/program.py`; never a pattern.',
});
const ref = { ref: Type.Optional(Ref) };
const found = ['invalid-request', 'not-found', 'not-permitted', 'empty-repository'] as const;
/** Problems of reads with a process of their own. */
const slow = ['too-large', 'too-many-readers', 'readers-busy'] as const;
const content = { media: ['*/*'] };

interface Asked {
  readonly caller: Caller;
  readonly request: FastifyRequest;
}

/** Reads with a process of Git, of which a caller has a few at a time; visitors share those of their network. */
function inSlot<T>({ readSlots }: GitStore, { caller, request }: Asked, read: (reader: Reader) => Promise<T>) {
  return readSlots.during(callerName(caller.person?.id ?? null, request.ip), () => read(caller.context));
}

/** Endpoints that read repositories. The process with the role `git` answers. */
export const readingEndpoints = (platform: Platform, store: GitStore): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: `${base}/refs`,
    id: 'listImplementationRefs',
    tag,
    access: 'implementation:read',
    visitors: true,
    summary: 'List the branches and tags of a repository',
    params: path,
    answers: { 200: RepositoryRefs },
    problems: ['invalid-request', 'not-found', 'not-permitted', ...slow],
    run: ({ params, ...asked }) =>
      inSlot(store, asked, (reader) => showRefs(platform, store, reader, params.implementationId)),
  }),
  endpoint({
    method: 'GET',
    path: `${base}/tree`,
    id: 'readImplementationTree',
    tag,
    access: 'implementation:read',
    visitors: true,
    summary: 'List a folder of a repository; the root without a path',
    params: path,
    query: Type.Object({
      ...ref,
      path: Type.Optional(Path),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: limits.repositoryPathLength,
          description: 'Text that the names of the entries contain. The entry of this very name comes first.',
        }),
      ),
    }),
    answers: { 200: RepositoryTree },
    problems: [...found, 'too-large'],
    run: ({ params, query, caller }) => readFolder(platform, store, caller.context, params.implementationId, query),
  }),
  endpoint({
    method: 'GET',
    path: `${base}/file`,
    id: 'readImplementationFile',
    tag,
    access: 'implementation:read',
    visitors: true,
    summary: 'Read a file of a repository, or with Range a part of it',
    description: 'Text is sent as plain text, whatever it is written in.',
    params: path,
    query: Type.Object({ ...ref, path: Path }),
    answers: { 200: content, 206: content, 304: null },
    problems: [...found, 'range-not-satisfiable', 'too-large'],
    handle: ({ params, query, caller, request }) =>
      readFile(platform, store, caller.context, params.implementationId, query, request),
  }),
  endpoint({
    method: 'GET',
    path: `${base}/commits`,
    id: 'listImplementationCommits',
    tag,
    access: 'implementation:read',
    visitors: true,
    summary: 'List the commits of a branch, or those that changed a path, newest first',
    params: path,
    query: Type.Object({
      ...ref,
      path: Type.Optional(Path),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_COMMITS })),
      skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    }),
    answers: { 200: Type.Array(RepositoryCommit) },
    problems: [...found, ...slow],
    handle: async ({ params, query, ...asked }) => {
      const { commits, next } = await inSlot(store, asked, (reader) =>
        readHistory(platform, store, reader, params.implementationId, query),
      );
      return { status: 200, body: commits, headers: next === null ? {} : { link: `<${next}>; rel="next"` } };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/commits/:commit`,
    id: 'readImplementationCommit',
    tag,
    access: 'implementation:read',
    visitors: true,
    summary: 'Read a commit with its changes',
    params: Type.Object({ implementationId: Id, commit: BranchName }),
    answers: { 200: CommitDetails },
    problems: [...found, ...slow],
    run: ({ params, ...asked }) =>
      inSlot(store, asked, (reader) => readCommit(platform, store, reader, params.implementationId, params.commit)),
  }),
  endpoint({
    method: 'GET',
    path: `${base}/compare`,
    id: 'compareImplementationRefs',
    tag,
    access: 'implementation:read',
    visitors: true,
    summary: 'Compare two branches, tags or commits',
    params: path,
    query: Type.Object({ base: Ref, head: Ref }),
    answers: { 200: Comparison },
    problems: [...found, ...slow],
    run: ({ params, query, ...asked }) =>
      inSlot(store, asked, (reader) => compare(platform, store, reader, params.implementationId, query)),
  }),
  endpoint({
    method: 'GET',
    path: `${base}/archive`,
    id: 'downloadImplementationArchive',
    tag,
    access: 'implementation:read',
    visitors: true,
    summary: 'Download all files of a commit as ZIP or tar',
    params: path,
    query: Type.Object({ ...ref, format: Type.Optional(Type.Enum(['zip', 'tar'])) }),
    answers: { 200: { media: ['application/zip', 'application/x-tar'] } },
    problems: [...found, ...slow],
    handle: ({ params, query, caller, reply }) =>
      readArchive(platform, store, caller.context, params.implementationId, query, reply),
  }),
];
