import { defaultConfiguration, type CreateServiceOfImplementationRequest, type Service } from '@kethub/contract';
import { Problem, type IdempotencyKey } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { removeOrphans } from '../../../foundation/storage/index.ts';
import { createService, draftWriterOf } from '../../services/index.ts';
import { buildableOf } from '../record-push.ts';
import { requireImplementation } from '../rights.ts';
import { openToRead, requireCommit } from '../reading/resolve.ts';
import type { GitStore } from '../store.ts';
import { takeSource } from './take-source.ts';

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
  idempotencyKey: IdempotencyKey,
): Promise<Service> {
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
  const source = await takeSource(platform, store, open, { implementationId: id, ref, commit });
  try {
    return await createService(
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
      idempotencyKey,
    );
  } finally {
    await removeOrphans(platform.database, platform.blobs, [source.blob]);
  }
}
