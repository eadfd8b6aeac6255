import { compile, FeelSyntaxError, resultsInEntriesOf } from '@kethub/feel';
import type { Expression } from '../expression.ts';
import type { ProblemCode } from '../problems.ts';
import type { Element } from './element.ts';
import type { Report } from './report.ts';

const SECRET_FUNCTION = 'secret_value';

/** Compiles an attribute. Returns null, and reports a problem of the element, when it is not FEEL. */
export function expressionOf(report: Report, element: Element, what: string, source: string): Expression | null {
  const expression = compiled(report, element, what, source);
  if (expression?.compiled?.calls.includes(SECRET_FUNCTION) === true) {
    const message = `${what} reads a secret. Secrets can be read only by an input mapping of a service task whose target is $secrets.`;
    report.add(element, 'SECRET', message, source);
    return null;
  }
  return expression;
}

/** Compiles an attribute that must be FEEL. */
export function feelOf(
  report: Report,
  element: Element,
  code: ProblemCode,
  what: string,
  source: string | null,
): Expression | null {
  if (source === null || source.trim() === '') {
    report.add(element, code, `${what} is missing.`);
    return null;
  }
  if (source.startsWith('=')) return expressionOf(report, element, what, source);
  report.add(element, code, `${what} has to be a FEEL expression, which starts with "=".`, source);
  return null;
}

/** Compiles the input mapping of `$secrets`, and finds the names that it reads, which must be literal text. */
export function secretsOf(
  report: Report,
  element: Element,
  source: string,
): { expression: Expression; names: string[] } | null {
  const expression = compiled(report, element, 'The mapping of $secrets', source);
  if (expression === null) return null;
  const names = [...source.matchAll(/\bsecret_value\s*\(\s*"([^"\\]+)"\s*\)/g)].map((match) => match[1] ?? '');
  if (expression.compiled?.takenApart.includes(SECRET_FUNCTION) === true) {
    const part =
      'A secret can only be passed on as a whole: {token: secret_value("token")}. It cannot be a part of a text, or be computed or compared with.';
    report.add(element, 'SECRET', part, source);
    return null;
  }
  const named = names.length > 0 && names.length === source.split(SECRET_FUNCTION).length - 1;
  if (expression.compiled !== null && named && resultsInEntriesOf(expression.compiled.source, SECRET_FUNCTION)) {
    return { expression, names: [...new Set(names)] };
  }
  const message =
    'The mapping of $secrets has to be an object whose entries are all secrets, such as {token: secret_value("token")}. The name of a secret is a text in quotes.';
  report.add(element, 'SECRET', message, source);
  return null;
}

function compiled(report: Report, element: Element, what: string, source: string): Expression | null {
  if (!source.startsWith('=')) return { source, compiled: null };
  if (!report.hasBudgetFor(element, source)) return null;
  try {
    return { source, compiled: compile(source.slice(1)) };
  } catch (error) {
    if (!(error instanceof FeelSyntaxError)) throw error;
    const { line, column } = error.position;
    // The message ends with the position, which the problem contains already.
    const reason = error.message.replace(/ \(line \d+, column \d+\)$/, '');
    report.add(element, 'EXPRESSION', `${what}, line ${line}, column ${column}: ${reason}`, source);
    return null;
  }
}
