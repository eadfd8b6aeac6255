import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The most that the dashboard may cost. Tests check bytes and requests, `npm run bench -- dashboard` also times. */
export interface Budgets {
  /** Bytes of the first visit by kind, as a browser loads them. */
  readonly first: { readonly js: number; readonly css: number; readonly font: number };
  /** Bytes of the scripts that a page loads beside those of the first visit. */
  readonly pages: Readonly<Record<string, number>>;
  /** Bytes of parts that are loaded later and may be large. */
  readonly later: Readonly<Record<string, number>>;
  /** Bytes of every other part. */
  readonly others: number;
  /** Requests that the first data waits for, by somebody who has signed in and has nothing in the cache. */
  readonly requestsToFirstData: number;
  readonly build: { readonly processorSeconds: number; readonly megabytes: number };
  readonly milliseconds: {
    readonly mainThreadToFirstData: number;
    readonly firstPaint: number;
    readonly firstDataAgain: number;
    readonly key: number;
  };
}

export const budgets = JSON.parse(readFileSync(path.join(import.meta.dirname, 'budgets.json'), 'utf8')) as Budgets;
