import type { Outcome, UrgentCommand } from '../types.ts';
import type { Machine } from './machine.ts';

/** Number of elements that one command ends. */
const AT_ONCE = 64;

/** Ends elements and all that is in them, without their results: what runs is cancelled, what waits is closed. */
export function terminate(
  machine: Machine,
  command: Extract<UrgentCommand, { do: 'terminate' | 'terminateIn' }>,
): void {
  for (let ended = 0; ended < AT_ONCE; ended += 1) {
    const top = command.do === 'terminate' ? command.element : machine.content(command.scope).keys.first();
    if (top === undefined || machine.find(top) === undefined) return;
    terminateOne(machine, innermost(machine, top));
  }
  machine.pushUrgent(command);
}

function innermost(machine: Machine, key: number): number {
  let inner = key;
  for (let next: number | undefined = key; next !== undefined; next = machine.content(inner).keys.first()) inner = next;
  return inner;
}

function terminateOne(machine: Machine, key: number): void {
  const element = machine.get(key);
  if (element.job !== undefined) machine.effects.push({ type: 'cancelJob', job: element.job });
  if (element.child !== undefined) machine.effects.push({ type: 'cancelChild', child: element.child });
  if (element.childErrors !== undefined && element.childErrors.length > 0) machine.errorsChanged = true;
  machine.closeWaits(key);
  machine.remove(element, 'terminated');
  machine.resolveIncidentsOf(key);
}

/** The instance has ended before it was complete; nothing is left in it. */
export function end(machine: Machine, command: Extract<UrgentCommand, { do: 'end' }>): void {
  const { phase } = command;
  machine.state.phase = phase;
  if (command.phase === 'ERROR') machine.state.error = command.error;
  machine.note({ type: 'finished', phase });
  const outcome: Outcome =
    command.phase === 'ERROR' ? { type: 'error', code: command.code, error: command.error } : { type: 'cancelled' };
  machine.effects.push({ type: 'finished', outcome });
}
