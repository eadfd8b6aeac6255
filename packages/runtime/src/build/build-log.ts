import type { LogLine, Severity } from '../types.ts';

/** Receives the lines of a build as they come, in words for the person who uploaded the code. */
export type OnLine = (line: LogLine) => void;

/** The log of one build. */
export interface BuildLog {
  /** Passes on a line that came from elsewhere. */
  line: OnLine;
  info(message: string): void;
  warning(message: string): void;
}

/** Makes the log of a build. `now` returns epoch milliseconds. */
export function createBuildLog(onLine: OnLine, now: () => number): BuildLog {
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
