import type { Machine } from './machine.ts';

/** Ends elements and all that is in them, without their results: what runs is cancelled, what waits is closed. */
export function terminate(machine: Machine, keys: readonly number[]): void {
  const ended = new Set<number>();
  for (const key of keys) end(machine, key, ended);
  if (machine.state.incidents.length > 0) machine.resolveIncidents(({ element }) => ended.has(element));
}

function end(machine: Machine, key: number, ended: Set<number>): void {
  const element = machine.find(key);
  if (element === undefined) return;
  for (const child of machine.children(key)) end(machine, child, ended);
  if (element.job !== undefined) machine.effects.push({ type: 'cancelJob', job: element.job });
  if (element.child !== undefined) machine.effects.push({ type: 'cancelChild', child: element.child });
  if (element.childErrors !== undefined && element.childErrors.length > 0) machine.errorsChanged = true;
  machine.closeWaits(key);
  machine.remove(element, 'terminated');
  ended.add(key);
}
