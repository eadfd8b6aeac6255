import { statSync } from 'node:fs';
import {
  askedPython,
  inspectLocally,
  type ExecutionJob,
  type ExecutionRuntime,
  type LocalInspection,
  type LogLine,
} from '@kethub/runtime/local';
import type { ServeMode } from './modes.ts';
import type { LocalPython } from './python.ts';
import type { Snapshot } from './sources.ts';

/** A copy of the code that can be run. */
export interface Loaded {
  readonly code: ExecutionJob['code'];
  /** The signature; null for a container, which has none. */
  readonly inspection: LocalInspection | null;
}

/** A copy of the code with the environment that it will be loaded in. */
export interface Prepared {
  /** Changes when the environment does. */
  readonly key: string;
  /** Folder of packages whose changes count as a save; null without one. */
  readonly packages: string | null;
  load(): Promise<Loaded>;
}

export interface LoadOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onLine: (line: LogLine) => void;
}

/** Makes copies of the code ready to run. @throws BuildError naming file and line when that cannot be done. */
export type Loader = (snapshot: Snapshot, options: LoadOptions) => Promise<Prepared>;

/** A way to run code on this machine. */
export interface OpenedRuntime {
  readonly mode: ServeMode;
  /** Meaning of the mode, and the reason why no better one was chosen. */
  readonly about: string;
  /** The interpreter or image, for the first line. */
  readonly environment: string;
  readonly runtime: ExecutionRuntime;
  readonly load: Loader;
}

/** Loads code by an interpreter of this machine. It is chosen for each load: packages may have to be installed anew. */
export function pythonLoader(choose: () => Promise<LocalPython>): Loader {
  return async ({ dir }, { environment, signal, onLine }) => {
    const { python, packages, version, from } = await choose();
    const changed = packages === null ? 0 : statSync(packages).mtimeMs;
    return {
      key: [python, packages, changed].join(' '),
      packages,
      async load() {
        await warnOfVersion(dir, version, from, onLine);
        const code = { python, sourceDir: dir, packages, environment };
        const inspection = await inspectLocally(code, signal, onLine);
        return {
          code: { sourceDir: dir, layerDir: packages, imports: inspection.imports, python: version },
          inspection,
        };
      },
    };
  };
}

/** Warns when the project asks for another Python than the one that runs it here. */
async function warnOfVersion(
  folder: string,
  version: string,
  from: string,
  onLine: (line: LogLine) => void,
): Promise<void> {
  const warn = (message: string): void => {
    onLine({ timestamp: new Date().toISOString(), severity: 'WARNING', message });
  };
  const asked = await askedPython(folder, null, warn);
  if (asked !== null && !asked.fits(version))
    warn(
      `${asked.file} asks for Python ${asked.text}, which the platform uses. Here it is Python ${version} (${from}).`,
    );
}
