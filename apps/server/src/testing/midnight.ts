import { setTimeout as pause } from 'node:timers/promises';
import { periodsOf } from '../catalog/limits/periods.ts';

/** Quotas begin anew at midnight (UTC): waits for it when it would come within so many milliseconds. */
export async function awayFromMidnight(milliseconds: number): Promise<void> {
  const left = periodsOf(Date.now()).day.end - Date.now();
  if (left < milliseconds) await pause(left + 1_000);
}
