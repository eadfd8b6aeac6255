import type { ProblemCode } from '../problems.ts';
import type { Problem } from '../types.ts';
import { idOf, type Element } from './element.ts';
import { limits } from './limits.ts';

/** Collects what is wrong with a file, so that all of it is told at once. */
export class Report {
  readonly problems: Problem[] = [];

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
