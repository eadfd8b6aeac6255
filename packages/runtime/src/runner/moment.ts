import { readFileSync } from 'node:fs';

/** A reading of the clock of the machine that nobody can set. */
export interface Tick {
  /** Id of the boot of the machine; empty where the machine names none. */
  readonly boot: string;
  /** Milliseconds, the same for all processes since that boot. */
  readonly monotonic: number;
}

/** A moment as a record keeps it: a later process can tell how long ago it was, also when somebody has set the clock. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Records of older versions have none. */
  readonly tick?: Tick | undefined;
}

/** The clocks of a machine. */
export interface Clocks {
  /** Epoch milliseconds. Somebody may set this clock. */
  wall(): number;
  monotonic(): number;
  readonly boot: string;
}

export const machine: Clocks = {
  wall: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint() / 1_000_000n),
  boot: bootId(),
};

export function momentNow({ wall, monotonic, boot }: Clocks = machine): Moment & { readonly tick: Tick } {
  return { at: wall(), tick: { boot, monotonic: monotonic() } };
}

/** Milliseconds since a moment. Across a boot, the wall clock says so. */
export function elapsedSince({ at, tick }: Moment, { wall, monotonic, boot }: Clocks = machine): number {
  const isSameBoot = tick !== undefined && tick.boot !== '' && tick.boot === boot;
  return Math.max(0, isSameBoot ? monotonic() - tick.monotonic : wall() - at);
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}
