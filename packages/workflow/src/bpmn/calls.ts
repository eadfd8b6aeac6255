import { whyNotCallable } from '../callable.ts';
import type { Process } from '../graph.ts';
import { children, type Element } from './element.ts';
import type { Report } from './report.ts';

/**
 * Call activities whose process stands in the file, and is none that can be called: each run would end there. What is wrong
 * with a process of the file itself is told at that process.
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
