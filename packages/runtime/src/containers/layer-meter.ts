import { accessSync, constants, statSync } from 'node:fs';
import { measureFolder, type Bounds } from '../runner/measure-folder.ts';
import type { Layer } from '../runner/output-guard.ts';
import type { Container } from './container.ts';
import { EngineRefusal, EngineUnavailable } from './engine.ts';

/** Milliseconds between two questions: to answer one, the engine walks through everything that was written. */
const ASK_AGAIN_MS = 5_000;

/**
 * Measures what a container has written over its image, in the folder of that layer. Where the folder is not on this
 * machine, its engine reports it.
 */
export class LayerMeter {
  readonly #container: Container;
  /** Undefined until asked for, null when the folder is not on this machine. */
  #folder: string | null | undefined;
  #reported = { bytes: 0, at: Number.NEGATIVE_INFINITY };

  constructor(container: Container) {
    this.#container = container;
  }

  /** @param pid a process of the container on this machine. Without one, or without an engine, nothing is measured. */
  async measure(bounds: Bounds, pid: number | null): Promise<Layer> {
    const device = pid === null ? null : deviceOfRoot(pid);
    try {
      if (device !== null && this.#folder === undefined) this.#folder = here(await this.#container.upperFolder());
      if (this.#folder) return { ...(await measureFolder(this.#folder, bounds)), device };
      if (performance.now() - this.#reported.at > ASK_AGAIN_MS)
        this.#reported = { bytes: await this.#container.writtenBytes(), at: performance.now() };
    } catch (error) {
      if (!(error instanceof EngineRefusal) && !(error instanceof EngineUnavailable)) throw error;
    }
    return { bytes: this.#reported.bytes, entries: 0, device };
  }
}

/** Returns the folder when it is on this machine and we may read it. */
function here(folder: string | null): string | null {
  if (folder === null) return null;
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return folder;
  } catch {
    return null;
  }
}

function deviceOfRoot(pid: number): number | null {
  try {
    return statSync(`/proc/${pid}/root/`).dev;
  } catch {
    return null; // it has ended, or is not ours to inspect
  }
}
