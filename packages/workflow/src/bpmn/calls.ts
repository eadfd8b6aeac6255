import { whyNotCallable } from '../callable.ts';
import type { Process } from '../graph.ts';
import { children, type Element } from './element.ts';
import type { Report } from './report.ts';

/**
 * Reports call activities whose process is in the file but cannot be called: each run would end there. Problems of a
 * process in the file are reported at that process.
 */
export function checkCalls(
  report: Report,
  executable: readonly Element[],
  processes: ReadonlyMap<string, Process>,
): void {
  const refused = new Set(executable.filter(isRefused).map(({ id }) => id));
  for (const { nodes } of processes.values()) {
    for (const node of nodes.values()) {
      if (node.kind !== 'call' || node.processId.compiled !== null || refused.has(node.processId.source)) continue;
      const why = whyNotCallable(processes, node.processId.source);
      if (why !== null) report.addAt(node.id, 'CALLED_ELEMENT', why);
    }
  }

  function isRefused(element: Element): boolean {
    const hasStart = children(element, 'flowElements').some(({ $type }) => $type === 'bpmn:StartEvent');
    return !hasStart || !processes.has(element.id ?? '');
  }
}
