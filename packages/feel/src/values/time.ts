import type { Zone } from './zone.ts';

/** A time of day; without a zone it is local to nowhere. */
export class FeelTime {
  readonly nanosecondOfDay: number;
  readonly zone: Zone | null;

  constructor(nanosecondOfDay: number, zone: Zone | null) {
    this.nanosecondOfDay = nanosecondOfDay;
    this.zone = zone;
  }
}
