import type { Element } from './element.ts';
import type { Report } from './report.ts';

/** A flow node before it is compiled: its element and its connections. */
export interface Draft {
  readonly id: string;
  readonly element: Element;
  /** The process or sub-process that contains it. */
  readonly scope: string;
  readonly incoming: Element[];
  readonly outgoing: Element[];
  readonly boundaries: Draft[];
}

/** A process or sub-process, with the nodes directly in it. */
export interface ScopeDraft {
  readonly id: string;
  readonly element: Element;
  readonly nodes: Draft[];
  readonly flows: Element[];
}

/** One executable process before it is compiled. */
export interface ProcessDraft {
  readonly report: Report;
  readonly element: Element;
  readonly id: string;
  readonly nodes: ReadonlyMap<string, Draft>;
  /** The process itself first. */
  readonly scopes: ReadonlyMap<string, ScopeDraft>;
}
