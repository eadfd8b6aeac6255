import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { byVersion, installedPython, installPython, PythonNotInstalled, pythonReleases } from '../pythons/index.ts';
import type { Runtime } from '../types.ts';
import type { OfferedPythons } from './choose-python.ts';
import { removeTree } from './folders.ts';
import type { HostPython } from './host-python.ts';
import type { BuildLog } from './build-log.ts';
import { BuildError } from './problem.ts';
import { shareWork } from './share-work.ts';

/** The interpreters of this machine: the root's, and others that are installed when a service first asks for them. */
export interface Pythons {
  offered(usual: HostPython): OfferedPythons;
  isPresent(version: string, usual: HostPython): boolean;
  /**
   * Returns the interpreter, and installs it first when it is missing.
   * @throws BuildError when it cannot be installed.
   */
  take(version: string, usual: HostPython, log?: BuildLog, signal?: AbortSignal): Promise<HostPython>;
}

/** Makes the store of a runtime folder. */
export function createPythons(runtimeDir: string, runtime: Pick<Runtime, 'sandboxed'>): Pythons {
  const installing = shareWork<void>();
  const known = (version: string, usual: HostPython): HostPython | null => {
    if (version === usual.version) return usual;
    const python = installedPython(runtimeDir, version);
    if (python === null) return null;
    const pip = python.pip === null ? usual.pip : { ...python.pip, isWheel: false };
    return { version, platform: python.platform, pip, isOther: true };
  };
  return {
    offered: (usual) => ({
      usual: usual.version,
      others: pythonReleases()
        .map(({ version }) => version)
        .toSorted(byVersion),
    }),
    isPresent: (version, usual) => known(version, usual) !== null,
    async take(version, usual, log, signal = new AbortController().signal) {
      const there = known(version, usual);
      if (there !== null) return there;
      log?.info(`Installing Python ${version}, which no service on this machine has asked for before.`);
      await installing(version, signal, async () => {
        const draft = join(runtimeDir, 'drafts', randomUUID());
        try {
          await mkdir(draft, { recursive: true, mode: 0o711 });
          await installPython(runtime, runtimeDir, version, draft);
        } finally {
          await removeTree(draft);
        }
      }).catch((error: unknown) => {
        if (!(error instanceof PythonNotInstalled)) throw error;
        const has = `Python ${usual.version} is there at once.`;
        throw new BuildError(
          'python-unavailable',
          `Python ${version} could not be installed on this machine: ${error.message} Try again later, or ask the operator of the platform. ${has}`,
        );
      });
      const python = known(version, usual);
      if (python === null) throw new Error(`Python ${version} is not there after it was installed`);
      return python;
    },
  };
}
