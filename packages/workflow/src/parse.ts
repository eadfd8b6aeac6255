import { checkCalls } from './bpmn/calls.ts';
import { checkStructure, flowsOf, straightThroughLoop } from './bpmn/checks.ts';
import { collect } from './bpmn/collect.ts';
import { readDocument } from './bpmn/document.ts';
import type { ProcessDraft } from './bpmn/draft.ts';
import { children, flag, idOf, text, type Element } from './bpmn/element.ts';
import { checkId } from './bpmn/names.ts';
import { nodeOf, processNodeOf } from './bpmn/nodes.ts';
import { reachability } from './bpmn/reachability.ts';
import { Report } from './bpmn/report.ts';
import { checkSchedules } from './bpmn/schedules.ts';
import { decodeXml, refuseXml, withPlainAttributes } from './bpmn/xml.ts';
import type { Node, Process, ProcessGraph } from './graph.ts';
import type { Problem } from './types.ts';

type ParseResult =
  | { readonly graph: ProcessGraph }
  | {
      readonly problems: readonly Problem[];
      /** Elements that could be compiled all the same, such as timers, whose times an editor shows. */
      readonly nodes: readonly Node[];
    };

interface ParseOptions {
  /**
   * True if the file was accepted before, and is only compiled again: calls and starts that never come are not reported
   * again.
   */
  readonly judged?: boolean;
}

/**
 * Validates and compiles a workflow file: text, or bytes in the encoding that they declare. Never rejects. Problems
 * are at most a hundred, and each names its element. What can be refused unparsed is; the rest is bounded by
 * `limits`, so that the answer takes less than a second.
 *
 * The process that is started is the first executable one of the file; other executable ones can be called by it.
 */
export async function parse(file: string | Uint8Array, { judged = false }: ParseOptions = {}): Promise<ParseResult> {
  const xml = typeof file === 'string' ? file : decodeXml(file);
  if (typeof xml !== 'string') return { problems: [xml], nodes: [] };
  const refused = refuseXml(xml);
  if (refused !== null) return { problems: [refused], nodes: [] };
  const document = await readDocument(withPlainAttributes(xml));
  return 'problems' in document ? { ...document, nodes: [] } : compile(document.definitions, judged);
}

function compile(definitions: Element, judged: boolean): ParseResult {
  const report = new Report();
  const all = children(definitions, 'rootElements').filter(({ $type }) => $type === 'bpmn:Process');
  const executable = all.filter((element) => flag(element, 'isExecutable', false));
  if (executable.length === 0) {
    const [first] = all;
    const message = 'The file has no executable process. Mark the process that is to be run with isExecutable="true".';
    const at = idOf(first ?? definitions);
    report.addProblem({ elementId: at, code: 'NO_EXECUTABLE_PROCESS', message, ...(at === null && { line: 1 }) });
  }
  // Without an executable one all are judged: the author learns at once what else keeps the file from running.
  const chosen = executable.length > 0 ? executable : all;
  const processes = new Map<string, Process>();
  for (const element of chosen) {
    const id = element.id ?? null;
    if (checkId(report, element, id)) processes.set(id, compileProcess(collect(report, element, id)));
  }
  if (!judged) {
    checkCalls(report, chosen, processes);
    for (const process of processes.values()) checkSchedules(report, process);
  }
  const [main] = processes.keys();
  return report.problems.length > 0 || main === undefined
    ? { problems: report.problems, nodes: [...processes.values()].flatMap(({ nodes }) => [...nodes.values()]) }
    : { graph: { processId: main, processes } };
}

function compileProcess(draft: ProcessDraft): Process {
  checkStructure(draft);
  const flows = flowsOf(draft);
  const nodes = new Map<string, Node>([[draft.id, processNodeOf(draft)]]);
  const secrets = new Set<string>();
  for (const each of draft.nodes.values()) {
    const compiled = nodeOf(draft, each);
    if (compiled === null) continue;
    nodes.set(each.id, compiled.node);
    for (const name of compiled.secrets) secrets.add(name);
  }
  for (const node of nodes.values()) {
    if (node.kind !== 'inclusiveGateway' || node.incoming.length < 2) continue;
    nodes.set(node.id, { ...node, canComeAlong: reachability(node, nodes, flows) });
  }
  for (const id of straightThroughLoop(nodes, flows)) {
    const message = 'This element is in a loop in which nothing waits and no variable changes: it could never end.';
    draft.report.addAt(id, 'STRAIGHT_THROUGH_LOOP', message);
  }
  return { id: draft.id, name: text(draft.element, 'name'), nodes, flows, secrets: [...secrets] };
}
