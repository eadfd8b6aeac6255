import type { Problem } from '../types.ts';
import { child, kindName, withArticle, type Element } from './element.ts';
import { limits } from './limits.ts';
import type { Report } from './report.ts';

/** Names that the specification keeps for itself in the response of a workflow (Workflow errors, rule 6). */
export const reservedOutputs: ReadonlySet<string> = new Set([
  'executionId',
  'executionState',
  'serviceError',
  'triggeringTenantId',
  'errors',
  '_links',
  '_embedded',
]);

/** The rule for names of payload variables (Workflow errors, rule 4). */
export const isPayloadVariable = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== '__proto__';

const feelWords = new Set([
  'null',
  'true',
  'false',
  'if',
  'then',
  'else',
  'for',
  'in',
  'return',
  'some',
  'every',
  'function',
]);

/** Returns whether FEEL can read a variable of this name without back-ticks. */
export const isVariable = (name: string): boolean => whyNoVariable(name) === null;

/** Returns why a variable cannot have this name, to follow the name in a sentence; null when it can. */
export function whyNoVariable(name: string): string | null {
  if (feelWords.has(name)) return 'is a word of FEEL and cannot be the name of a variable. Choose another one.';
  if (name === '__proto__') return 'is kept by the platform and cannot be the name of a variable. Choose another one.';
  if (name === '') return 'is empty: give the variable a name.';
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)
    ? null
    : 'cannot be the name of a variable: it may have letters, digits and underscores, and starts with no digit.';
}

/** Ids become members of the state, parts of addresses and of names; XML allows more than is safe there. */
export function checkId(report: Report, element: Element, id: string | null): id is string {
  if (id === null) {
    report.add(
      element,
      'INVALID_ID',
      `${withArticle(kindName(element.$type))}${betweenOf(element)} has no id. Give it one.`,
    );
    return false;
  }
  if (id.length <= limits.id && /^[A-Za-z_][\w.-]*$/.test(id) && id !== '__proto__') return true;
  report.addProblem(invalidId(id));
  return false;
}

/** A flow without id is found by its ends. */
function betweenOf(flow: Element): string {
  const [source, target] = [child(flow, 'sourceRef'), child(flow, 'targetRef')].map((end) =>
    end?.id?.slice(0, limits.id),
  );
  return source === undefined || target === undefined ? '' : ` from ${source} to ${target}`;
}

export function invalidId(id: string): Problem {
  const message = `The id has to start with a letter or underscore, and consist of letters, digits, "_", "-" and ".", at most ${limits.id}.`;
  return { elementId: id.slice(0, limits.id), code: 'INVALID_ID', message };
}
