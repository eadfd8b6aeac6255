import type { Call } from '../values/value.ts';
import type { Place, Run } from './run.ts';

/** What a function sees of the evaluation that calls it. */
export class CallSite implements Call {
  readonly run: Run;
  readonly place: Place;
  readonly #name: string;

  constructor(run: Run, name: string, place: Place) {
    this.run = run;
    this.#name = name;
    this.place = place;
  }

  get meter(): Run['meter'] {
    return this.run.meter;
  }

  fail(message: string): null {
    return this.run.warn('FUNCTION_INVOCATION_FAILURE', `${this.#name}: ${message}`, this.place);
  }

  spend(steps: number): void {
    this.run.meter.spend(steps);
  }
}
