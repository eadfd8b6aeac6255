import type { Process } from './graph.ts';

/** Number of processes that a message names. Further ones are left out. */
const MOST_NAMED = 10;
const ID = 255;

/** Returns why a call activity cannot call the process with this id, with those that it could call; null when it can. */
export function whyNotCallable(processes: ReadonlyMap<string, Process>, id: string): string | null {
  const called = processes.get(id);
  if (called !== undefined && isCallable(called)) return null;
  const why =
    called === undefined
      ? `The file has no executable process ${id.slice(0, ID)}.`
      : `The process ${id} has no plain start event, with which a call begins.`;
  const others = [...processes.values()].filter(isCallable).map((process) => process.id);
  if (others.length === 0) return `${why} It has none that can be called.`;
  const more = others.length > MOST_NAMED ? `, and ${others.length - MOST_NAMED} more` : '';
  return `${why} A call activity can call one of these: ${others.slice(0, MOST_NAMED).join(', ')}${more}.`;
}

function isCallable({ id, nodes }: Process): boolean {
  const root = nodes.get(id);
  return root?.kind === 'process' && root.start !== null;
}
