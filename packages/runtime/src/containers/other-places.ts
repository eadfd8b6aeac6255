/** Tells the operator of what was made from another place of this data folder, and is left alone. */
export class OtherPlaces {
  readonly #things: string;
  #words: string | null = null;
  /** The command that the log had last; null when the log says that nothing is left. */
  #said: string | null = null;

  /** @param things such as `containers`. */
  constructor(things: string) {
    this.#things = things;
  }

  /** Says that there are such things, their likely cause and the remedy; null when there are none. */
  get words(): string | null {
    return this.#words;
  }

  /** @param removals a command for each thing that the last look has left alone. */
  note(removals: readonly string[]): void {
    const [first = null] = removals.toSorted();
    this.#words =
      first === null
        ? null
        : `There are ${this.#things} from another place of this data folder (${removals.length}); they are left alone. If a copy of the folder is in use, stop it, and delete its runtime/installation.key before it starts again. If the folder has moved, remove them: ${first}`;
    if (first === this.#said) return;
    this.#said = first;
    console.error(this.#words ?? `there are no ${this.#things} from another place any more`);
  }
}
