import { PassThrough, type Readable } from 'node:stream';
import type { Platform } from '../../../foundation/platform.ts';
import { storeSource, type Source, type SourceOrigin } from '../../services/index.ts';
import { requireArchiveSize } from '../reading/download.ts';
import type { OpenRepository } from '../reading/resolve.ts';
import type { GitStore } from '../store.ts';

/** Stores the files of a commit as the source of a version. Throws too-large. */
export async function takeSource(
  platform: Platform,
  store: GitStore,
  { repository }: OpenRepository,
  origin: SourceOrigin,
): Promise<Source> {
  await requireArchiveSize(store, repository, origin.commit);
  return { ...(await storeSource(platform, archiveStream(store, repository, origin.commit))), origin };
}

/** The files of a commit as a ZIP. The stream fails when Git does. */
export function archiveStream({ git }: GitStore, repository: string, commit: string): Readable {
  const args = ['archive', '--format=zip', '-6', '--end-of-options', commit];
  const child = git.spawn({ repository, access: 'READ', args });
  child.stdin.end();
  const out = new PassThrough();
  child.stdout.pipe(out, { end: false });
  out.once('close', () => child.kill());
  void child.ended.then(({ code, message }) => {
    if (code === 0) out.end();
    else out.destroy(new Error(`git archive ended with ${code ?? 'a signal'}: ${message}`));
  });
  return out;
}
