import { builtinNames } from './builtins/index.ts';
import { FeelBudgetError, type Warning } from './errors.ts';
import { isOverflow } from './evaluate/invoke.ts';
import { compileNode } from './evaluate/compile-node.ts';
import { Run, type EvaluateOptions } from './evaluate/run.ts';
import type { Scope } from './scope.ts';
import { takenApart, usesOf } from './syntax/analysis.ts';
import { canBeEntriesOf } from './syntax/entries.ts';
import type { Node } from './syntax/ast.ts';
import { Names } from './syntax/names.ts';
import { parseExpression, parseUnaryTests, type Known } from './syntax/parser.ts';
import type { Value } from './values/value.ts';

export interface Evaluation {
  value: Value;
  warnings: readonly Warning[];
}

export interface CompiledExpression {
  readonly source: string;
  /**
   * Names that are read from the scope, without those that the expression binds. Within a filter such a name may turn
   * out to be a member of the items.
   */
  readonly variables: readonly string[];
  /**
   * Variables without which it does not work: not read in a filter, nor by a function that tests whether they are
   * there.
   */
  readonly needed: readonly string[];
  /** Functions that are called by name, builtin or not. */
  readonly calls: readonly string[];
  /** Functions whose values are computed with, not passed on unchanged, by themselves or in a context. */
  readonly takenApart: readonly string[];
  /** The value and what was noticed on the way. Throws nothing but `FeelBudgetError`. */
  evaluate(scope: Scope, options?: EvaluateOptions): Evaluation;
}

interface CompileOptions {
  /** Names of variables and members that contain spaces or signs and shall be readable without back-ticks. */
  names?: Iterable<string>;
  /** Functions of the host whose names contain spaces. */
  functions?: Iterable<string>;
}

/** Compiles an expression, without the leading `=` of BPMN. Throws `FeelSyntaxError`. */
export function compile(source: string, options: CompileOptions = {}): CompiledExpression {
  return ready(source, parseExpression(source, known(options)));
}

/**
 * Returns whether an expression can result in a context of which every entry is a value of the function `name`. Throws
 * `FeelSyntaxError`.
 */
export function resultsInEntriesOf(source: string, name: string): boolean {
  return canBeEntriesOf(parseExpression(source, known({})), name);
}

/**
 * Compiles the unary tests of a decision table, such as `< 5, [10..20]`, `not("a")` or `-`. The input is the variable
 * `?` of the scope, the value true, false or null. Throws `FeelSyntaxError`.
 */
export function compileUnaryTests(source: string, options: CompileOptions = {}): CompiledExpression {
  return ready(source, parseUnaryTests(source, known(options)));
}

const BUILTINS = new Names([], builtinNames);

function known({ names = [], functions = [] }: CompileOptions): Known {
  return { names, functions, base: BUILTINS };
}

const NO_OPTIONS: EvaluateOptions = {};

function ready(source: string, node: Node): CompiledExpression {
  const closure = compileNode(node);
  const uses = usesOf(node);
  return {
    source,
    variables: [...uses.variables],
    needed: [...uses.needed],
    calls: [...uses.calls],
    takenApart: [...takenApart(node)],
    evaluate(scope, options = NO_OPTIONS) {
      const run = new Run(source, scope, options);
      try {
        return { value: closure(run), warnings: run.warnings };
      } catch (error) {
        if (isOverflow(error))
          throw new FeelBudgetError('depth', 'The expression or its values are nested too deeply.');
        throw error;
      }
    },
  };
}
