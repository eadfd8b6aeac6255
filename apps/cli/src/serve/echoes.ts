/** Loads in a row after which a file counts as an echo. */
const LOADS = 6;
/** Milliseconds after a load within which a change counts as caused by it. */
const ECHO_MS = 200;

/** True for a change this many milliseconds after the load before it, which has probably caused it. */
export function isEcho(delay: number): boolean {
  return delay <= ECHO_MS;
}

/**
 * Files that change because the code was loaded, such as the output of `ket serve` written into its own folder. They
 * would load the code without end, so they no longer cause a load once they are found.
 */
export class Echoes {
  readonly #found = new Set<string>();
  readonly #rounds = new Map<string, number>();
  #before: ReadonlyMap<string, string> = new Map();

  /** Names of the files that no longer cause a load. */
  get found(): ReadonlySet<string> {
    return this.#found;
  }

  /**
   * Takes the state of all files for one load. Returns those that were found by it.
   * @param files digests by name
   * @param delay milliseconds between the load before this one and the change that caused this one
   */
  observe(files: ReadonlyMap<string, string>, delay: number): readonly string[] {
    const before = this.#before;
    this.#before = files;
    if (!isEcho(delay)) {
      this.#rounds.clear();
      return [];
    }
    for (const name of this.#rounds.keys()) if (files.get(name) === before.get(name)) this.#rounds.delete(name);
    const found: string[] = [];
    for (const [name, digest] of files) {
      if (digest === before.get(name) || this.#found.has(name)) continue;
      const rounds = (this.#rounds.get(name) ?? 0) + 1;
      this.#rounds.set(name, rounds);
      if (rounds < LOADS) continue;
      this.#rounds.delete(name);
      this.#found.add(name);
      found.push(name);
    }
    return found;
  }
}
