import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { buildOwnRoot, currentRoot, rootsIn } from '../root/index.ts';

/** Kept from one test run to the next: it takes 5 s to build. */
const KEPT = fileURLToPath(new URL('../../../../.runtime/sandbox', import.meta.url));

/** The folder of roots that tests share; built by the first that needs it. @throws RootNotBuilt without a way to a package mirror. */
export async function rootsForTests(): Promise<string> {
  while (currentRoot(KEPT) === null) if ((await buildOwnRoot(KEPT)) === null) await pause(100);
  return rootsIn(KEPT);
}
