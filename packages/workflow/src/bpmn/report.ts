import type { ProblemCode } from '../problems.ts';
import type { Problem } from '../types.ts';
import { idOf, type Element } from './element.ts';
import { limits } from './limits.ts';

/** Collects the problems of a file, so that all are reported at once. */
export class Report {
  readonly problems: Problem[] = [];
  #expressions = 0;

  /** Returns whether an expression may still be compiled; one too many is a problem of its element. */
  hasBudgetFor(element: Element, source: string): boolean {
    const before = this.#expressions;
    this.#expressions += source.length;
    if (this.#expressions <= limits.expressions) return true;
    if (before <= limits.expressions) {
      const message = `From here on the expressions of the file have more than ${limits.expressions} characters. Split the workflow.`;
      this.add(element, 'TOO_LARGE', message);
    }
    return false;
  }

  add(element: Element, code: ProblemCode, message: string, expression?: string): void {
    this.addAt(idOf(element), code, message, expression);
  }

  addAt(elementId: string | null, code: ProblemCode, message: string, expression?: string): void {
    this.addProblem({ elementId, code, message, ...(expression === undefined ? {} : { expression }) });
  }

  addProblem(problem: Problem): void {
    if (this.problems.length < limits.problems) this.problems.push(problem);
  }
}
