import { setTimeout as pause } from 'node:timers/promises';
import { periodsOf } from '../catalog/limits/periods.ts';

/** Waits until midnight (UTC) has passed if it is within these milliseconds, because quotas begin anew then. */
export async function awayFromMidnight(milliseconds: number): Promise<void> {
  const left = periodsOf(Date.now()).day.end - Date.now();
  if (left < milliseconds) await pause(left + 1_000);
}
