import { defaultConfiguration, type CreateServiceOfImplementationRequest } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { removeOrphans } from '../../../foundation/storage/index.ts';
import { createService, draftWriterOf, storeSource, type Source } from '../../services/index.ts';
import { buildableOf } from '../record-push.ts';
import { requireImplementation } from '../rights.ts';
import { requireArchiveSize } from '../reading/download.ts';
import { openToRead, requireCommit, type OpenRepository } from '../reading/resolve.ts';
import type { GitStore } from '../store.ts';

/**
 * Makes a service of a commit: its first version is a draft that is built at once, and names the commit. Throws
 * nothing-to-build, and the problems of an upload.
 */
export async function createServiceOf(
  platform: Platform,
  store: GitStore,
  context: Context,
  id: string,
  asked: CreateServiceOfImplementationRequest,
  request: FastifyRequest,
): Promise<Answer> {
  await requireImplementation(platform.database.read, context, id, 'implementation:build');
  const open = await openToRead(platform, store, context, id);
  const { name, default_branch } = open.implementation;
  const ref = asked.ref ?? default_branch;
  const commit = await requireCommit(platform, open, ref);
  const runtime = await buildableOf(store.git, open.repository, commit);
  if (!runtime)
    throw new Problem(
      'nothing-to-build',
      `The root of ${commit} has no Dockerfile, no Containerfile and no src/program.py. Push one of them.`,
    );
  const configuration = asked.configuration ?? { ...defaultConfiguration, runtime };
  const source = await takeSource(platform, store, open, { ref, commit });
  try {
    const service = await createService(
      platform,
      context,
      {
        type: 'MANAGED',
        name: asked.name ?? name,
        description: asked.description ?? open.implementation.description,
        version: asked.version,
        content: JSON.stringify([id, commit, asked]),
        writer: draftWriterOf(platform, context, { form: { configuration }, source }),
      },
      request.headers['idempotency-key'],
    );
    const headers = { location: `${platform.addresses.api}/services/${service.id}` };
    return { status: 201, body: service, headers };
  } finally {
    await removeOrphans(platform.database, platform.blobs, [source.blob]);
  }
}

/** Stores the files of a commit as the source of a version. Throws too-large. */
export async function takeSource(
  platform: Platform,
  store: GitStore,
  { implementation, repository }: OpenRepository,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): Promise<Source> {
  await requireArchiveSize(store, repository, commit);
  const args = ['archive', '--format=zip', '-6', '--end-of-options', commit];
  const child = store.git.spawn({ repository, access: 'READ', args });
  child.stdin.end();
  try {
    const source = await storeSource(platform, child.stdout);
    const { code, message } = await child.ended;
    if (code !== 0) throw new Error(`git archive ended with ${code ?? 'a signal'}: ${message}`);
    return { ...source, origin: { implementationId: implementation.id, ref, commit } };
  } finally {
    child.kill();
  }
}
