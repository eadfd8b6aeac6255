import type { Node, Process, ProcessGraph } from './graph.ts';
import { warningsOf } from './bpmn/probable-mistakes.ts';
import { nextTime } from './engine/waits.ts';
import { firstDue } from './start-timer.ts';
import type { Requirements, StartTimer } from './types.ts';

/**
 * The requirements and offers of a deployed version: of all its processes, except for the start events of the main one.
 */
export function requirements(graph: ProcessGraph): Requirements {
  const main = processOf(graph);
  const nodes = [...graph.processes.values()].flatMap((process) => [...process.nodes.values()]);
  const starts = [...main.nodes.values()].flatMap((node) =>
    node.kind === 'startEvent' && node.scope === main.id ? [node] : [],
  );
  const plain = starts.find(({ trigger }) => trigger.type === 'none');
  return {
    processId: main.id,
    name: main.name,
    startEvent: plain?.id ?? null,
    requestSchema: plain?.requestSchema ?? null,
    timerStarts: starts.flatMap(({ id, trigger }) => (trigger.type === 'timer' ? [{ elementId: id }] : [])),
    messageStarts: starts.flatMap(({ id, trigger }) =>
      trigger.type === 'message' ? [{ elementId: id, messageName: trigger.message.name.source }] : [],
    ),
    signalStarts: starts.flatMap(({ id, trigger }) =>
      trigger.type === 'signal' ? [{ elementId: id, signalName: trigger.signal.name.source }] : [],
    ),
    signals: nodes.flatMap((node) =>
      'trigger' in node && node.trigger.type === 'signal' && !starts.some(({ id }) => id === node.id)
        ? [{ elementId: node.id, signalName: node.trigger.signal.name.source }]
        : [],
    ),
    messages: nodes.flatMap((node) =>
      'trigger' in node && node.trigger.type === 'message' && node.trigger.message.correlationKey !== null
        ? [{ elementId: node.id, messageName: node.trigger.message.name.source }]
        : [],
    ),
    services: nodes.flatMap((node) => (node.kind === 'service' ? [{ elementId: node.id, ...node.service }] : [])),
    calls: nodes.flatMap((node) => {
      if (node.kind !== 'call') return [];
      const { compiled, source } = node.processId;
      return [{ elementId: node.id, processId: compiled === null ? source : null }];
    }),
    outputs: [...main.nodes.values()].flatMap(outputsOf),
    warnings: warningsOf(graph),
    secrets: [...new Set([...graph.processes.values()].flatMap(({ secrets }) => secrets))],
  };
}

function outputsOf(node: Node): Requirements['outputs'] {
  if (!('result' in node) || !node.result) return [];
  const names = new Set(node.outputs.map(({ target: [name = ''] }) => name));
  return [...names].map((name) => ({ elementId: node.id, name }));
}

function processOf({ processes, processId }: ProcessGraph): Process {
  const process = processes.get(processId);
  if (process === undefined) throw new Error(`The graph has no process ${processId}`);
  return process;
}

/**
 * The first due time of a timer start event of the main process, for a version deployed at `now`. Evaluated once,
 * without variables. Null when the event is no timer, or its expression gives no time.
 */
export function firstStart(graph: ProcessGraph, elementId: string, now: number): StartTimer | null {
  const node = processOf(graph).nodes.get(elementId);
  if (node?.kind !== 'startEvent' || node.trigger.type !== 'timer') return null;
  return firstDue(node.trigger.timer, now);
}

/** The next due time; null: never again. */
export const nextStart = (timer: StartTimer): StartTimer | null => nextTime(timer);
