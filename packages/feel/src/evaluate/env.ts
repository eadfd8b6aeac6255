import { isContext, member } from '../values/kind.ts';
import type { Context, Value } from '../values/value.ts';
import type { Env, Run } from './run.ts';

/** An environment with one more name. */
export class Binding implements Env {
  readonly run: Run;
  readonly #parent: Env;
  readonly #name: string;
  readonly #value: Value;

  constructor(parent: Env, name: string, value: Value) {
    this.run = parent.run;
    this.#parent = parent;
    this.#name = name;
    this.#value = value;
  }

  find(name: string): Value | undefined {
    return name === this.#name ? this.#value : this.#parent.find(name);
  }
}

/** The members of a context that is being written: later entries see earlier ones. */
export class Members implements Env {
  readonly run: Run;
  readonly #parent: Env;
  readonly #context: Context;

  constructor(parent: Env, context: Context) {
    this.run = parent.run;
    this.#parent = parent;
    this.#context = context;
  }

  find(name: string): Value | undefined {
    const found = member(this.#context, name);
    return found === undefined ? this.#parent.find(name) : found;
  }
}

/** In a filter: the members of the item, then the item itself. */
export class Item implements Env {
  readonly run: Run;
  readonly #parent: Env;
  readonly #item: Value;
  readonly #members: Context | null;

  constructor(parent: Env, item: Value) {
    this.run = parent.run;
    this.#parent = parent;
    this.#item = item;
    this.#members = isContext(item) ? item : null;
  }

  find(name: string): Value | undefined {
    const found = this.#members ? member(this.#members, name) : undefined;
    if (found !== undefined) return found;
    return name === 'item' ? this.#item : this.#parent.find(name);
  }
}

const COPIED_PER_STEP = 50;

/** In a loop: `partial`, a copy of what it has returned so far. */
export class Partial implements Env {
  readonly run: Run;
  readonly #parent: Env;
  readonly #results: readonly Value[];

  constructor(parent: Env, results: readonly Value[]) {
    this.run = parent.run;
    this.#parent = parent;
    this.#results = results;
  }

  find(name: string): Value | undefined {
    if (name !== 'partial') return this.#parent.find(name);
    this.run.meter.spend(Math.ceil(this.#results.length / COPIED_PER_STEP));
    return this.#results.slice();
  }
}
