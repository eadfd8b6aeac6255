import { compile, FeelSyntaxError, jsonText, parseExact, toJson, type JsonValue } from '@kethub/feel';
import { firstDue, nextStart, parse, requirements, type Node, type ProcessGraph } from '@kethub/workflow';
import type { Checked, Evaluated } from './protocol.ts';

/** Characters of a value that are shown below a field. */
const LONGEST = 400;
/** Times of a timer that are shown, and timers that have them. */
const NEXT_TIMES = 3;
const MOST_TIMERS = 1_000;

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
    const times = timesIn(parsed.nodes, startsIn(parsed.nodes));
    return { findings, ms: performance.now() - began, requestSchema: null, times };
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
    times: timesIn(nodesIn(parsed.graph), new Set(timerStarts.map(({ elementId }) => elementId))),
  };
}

function nodesIn({ processes }: ProcessGraph): readonly Node[] {
  return [...processes.values()].flatMap(({ nodes }) => [...nodes.values()]);
}

/** The start events of a file with problems: those that stand directly in a process. */
function startsIn(nodes: readonly Node[]): ReadonlySet<string> {
  const processes = new Set(nodes.flatMap(({ kind, id }) => (kind === 'process' ? [id] : [])));
  return new Set(
    nodes.flatMap((node) => (node.kind === 'startEvent' && processes.has(node.scope ?? '') ? [node.id] : [])),
  );
}

/** The next times of timers that need no variable: of starts, and of others as if they were reached now. */
function timesIn(nodes: readonly Node[], starts: ReadonlySet<string>): Checked['times'] {
  const timers = nodes
    .flatMap((node) => ('trigger' in node && node.trigger.type === 'timer' ? [{ id: node.id, ...node.trigger }] : []))
    .slice(0, MOST_TIMERS);
  const now = Date.now();
  return Object.fromEntries(
    timers.map(({ id, timer }) => {
      const due: number[] = [];
      for (let next = firstDue(timer, now); next !== null && due.length < NEXT_TIMES; next = nextStart(next))
        due.push(next.due);
      return [id, { due, isStart: starts.has(id) }];
    }),
  );
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
