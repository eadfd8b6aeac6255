import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { buildOwnRoot, currentRoot, rootsIn } from '../root/index.ts';

/** Kept between test runs, as a build takes 5 s. */
const KEPT = fileURLToPath(new URL('../../../../.runtime/sandbox', import.meta.url));

/**
 * The folder of roots that all tests share. The first test that needs it builds it.
 * @throws RootNotBuilt without a package mirror.
 */
export async function rootsForTests(): Promise<string> {
  while (currentRoot(KEPT) === null) if ((await buildOwnRoot(KEPT)) === null) await pause(100);
  return rootsIn(KEPT);
}
