import type { Severity } from '../types.ts';
import type { OnLine } from './outcome.ts';

/** The log of one build. */
export interface Tell {
  /** Passes on a line that came from elsewhere. */
  line: OnLine;
  info(message: string): void;
  warning(message: string): void;
}

/** Makes the log of a build, with the time of `now` (epoch milliseconds). */
export function createTell(onLine: OnLine, now: () => number): Tell {
  const add = (severity: Severity, message: string): void => {
    onLine({ timestamp: new Date(now()).toISOString(), severity, message });
  };
  return {
    line: onLine,
    info(message) {
      add('INFO', message);
    },
    warning(message) {
      add('WARNING', message);
    },
  };
}
