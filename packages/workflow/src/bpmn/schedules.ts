import type { Process, TimerDefinition } from '../graph.ts';
import { firstDue } from '../start-timer.ts';
import { examples } from './triggers.ts';
import type { Report } from './report.ts';

/** Any day: whether a date or cycle is valid does not depend on it. */
const ANY_DAY = Date.UTC(2030, 0, 1);

/** Reports timer start events that are never due: nobody would notice. */
export function checkSchedules(report: Report, { id: processId, nodes }: Process): void {
  for (const node of nodes.values()) {
    if (node.kind !== 'startEvent' || node.scope !== processId || node.trigger.type !== 'timer') continue;
    const why = whyNever(node.trigger.timer);
    if (why !== null) report.addAt(node.id, 'TIMER', why, node.trigger.timer.value.source);
  }
}

function whyNever(timer: TimerDefinition): string | null {
  const { kind, value } = timer;
  const [name] = value.compiled?.variables ?? [];
  if (name !== undefined)
    return `The ${kind} of the timer reads ${name}. What starts a process has no variables: nothing has been started yet.`;
  if (firstDue(timer, ANY_DAY) !== null) return null;
  return value.compiled === null
    ? `The ${kind} of the timer is never due.`
    : `The ${kind} of the timer has to be in ISO 8601, such as ${examples[kind]}, and this expression gives none.`;
}
