import type { Call } from '../values/value.ts';
import type { Span, Run } from './run.ts';

/** The interface through which a function sees the evaluation that calls it. */
export class CallSite implements Call {
  readonly run: Run;
  readonly span: Span;
  readonly #name: string;

  constructor(run: Run, name: string, span: Span) {
    this.run = run;
    this.#name = name;
    this.span = span;
  }

  get meter(): Run['meter'] {
    return this.run.meter;
  }

  fail(message: string): null {
    return this.run.warn('FUNCTION_INVOCATION_FAILURE', `${this.#name}: ${message}`, this.span);
  }

  spend(steps: number): void {
    this.run.meter.spend(steps);
  }
}
