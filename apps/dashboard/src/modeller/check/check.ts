import { compile, FeelSyntaxError, jsonText, parseExact, toJson, type JsonValue } from '@kethub/feel';
import { firstStart, nextStart, parse, requirements, type ProcessGraph } from '@kethub/workflow';
import type { Checked, Evaluated } from './protocol.ts';

/** Characters of a value that are shown below a field. */
const LONGEST = 400;
/** Times of a timer start event that are shown. */
const NEXT_TIMES = 3;

/** Judges a workflow file as the platform does when it is saved. */
export async function check(xml: string): Promise<Checked> {
  const began = performance.now();
  const parsed = await parse(xml);
  if ('problems' in parsed) {
    const findings = parsed.problems.map(({ elementId, message, expression }) => ({
      elementId,
      message,
      ...(expression !== undefined && { expression }),
      isWarning: false,
    }));
    return { findings, ms: performance.now() - began, requestSchema: null, starts: {} };
  }
  const { warnings = [], requestSchema, timerStarts } = requirements(parsed.graph);
  const findings = warnings.map(({ elementId, message, expression }) => ({
    elementId,
    message,
    ...(expression !== undefined && { expression }),
    isWarning: true,
  }));
  return {
    findings,
    ms: performance.now() - began,
    requestSchema: requestSchema === null ? null : jsonText(requestSchema),
    starts: Object.fromEntries(timerStarts.map(({ elementId }) => [elementId, timesOf(parsed.graph, elementId)])),
  };
}

function timesOf(graph: ProcessGraph, elementId: string): number[] {
  const times: number[] = [];
  let timer = firstStart(graph, elementId, Date.now());
  for (; timer !== null && times.length < NEXT_TIMES; timer = nextStart(timer)) times.push(timer.due);
  return times;
}

/** The value of a FEEL expression for variables that stand in a JSON object. `source` begins with `=`. */
export function evaluate(source: string, variables: string): Evaluated {
  const known = parseExact(variables) as Readonly<Record<string, JsonValue>>;
  try {
    const compiled = compile(source.replace(/^=/, ''));
    const missing = compiled.needed.filter((name) => !Object.hasOwn(known, name));
    if (missing.length > 0) return { value: null, error: null, missing };
    const { value } = compiled.evaluate(
      { lookup: (name) => (Object.hasOwn(known, name) ? known[name] : undefined) },
      { now: () => ({ epochMilliseconds: Date.now(), timeZone: 'Etc/UTC' }) },
    );
    const text = jsonText(toJson(value));
    return { value: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text, error: null, missing };
  } catch (error) {
    if (error instanceof FeelSyntaxError) return { value: null, error: error.message, missing: [] };
    return { value: null, error: error instanceof Error ? error.message : String(error), missing: [] };
  }
}
