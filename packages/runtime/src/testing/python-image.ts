import type { Engine } from '../containers/engine.ts';
import { importImage } from '../escapes/python-image.ts';
import { makeRunnerPaths } from '../paths.ts';
import { prepareRoot, type SandboxRoot } from '../sandbox/root.ts';
import { PYTHON_SIDE } from '../version.ts';

/** Imports an image made of the Python of this machine. Returns the root that it was made of, in `folder`. */
export async function importPythonImage(engine: Engine, name: string, folder: string): Promise<SandboxRoot> {
  const root = prepareRoot(makeRunnerPaths(folder), PYTHON_SIDE, false);
  await importImage(engine, name, root);
  return root;
}
