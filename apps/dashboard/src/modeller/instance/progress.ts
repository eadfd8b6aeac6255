/** An entry of a journal, of the platform or of a rehearsal, as far as the progress of an instance depends on it. */
export interface Step {
  readonly seq: number;
  readonly type: string;
  readonly elementId?: unknown;
  readonly element?: unknown;
  readonly flowId?: unknown;
  readonly incident?: unknown;
}

/** Progress of an instance after a step, by element. */
export interface Progress {
  readonly elements: ReadonlyMap<string, ElementProgress>;
  /** Flows that were taken. */
  readonly flows: ReadonlySet<string>;
}

/** Times that an element is active and has been done, and its open incidents. */
export interface ElementProgress {
  readonly active: number;
  readonly done: number;
  readonly incidents: number;
}

/** The progress after the step of number `until`, from the journal. */
export function progressAt(journal: readonly Step[], until: number): Progress {
  const active = new Map<number, string>();
  const done = new Map<string, number>();
  const incidents = new Map<number, string>();
  const flows = new Set<string>();
  for (const entry of journal) {
    if (entry.seq > until) break;
    const { type } = entry;
    const elementId = textOf(entry.elementId);
    if (type === 'activated') active.set(Number(entry.element), elementId);
    if (type === 'completed') done.set(elementId, (done.get(elementId) ?? 0) + 1);
    if (type === 'completed' || type === 'terminated') active.delete(Number(entry.element));
    if (type === 'taken') flows.add(textOf(entry.flowId));
    if (type === 'incident') {
      const { incident, elementId: at } = incidentOf(entry);
      incidents.set(incident, at);
    }
    if (type === 'resolved') incidents.delete(Number(entry.incident));
    if (type === 'finished') {
      active.clear();
      incidents.clear();
    }
  }
  const elements = new Map<string, ElementProgress>();
  const add = (id: string, change: Partial<ElementProgress>): void => {
    const before = elements.get(id) ?? { active: 0, done: 0, incidents: 0 };
    elements.set(id, { ...before, ...change });
  };
  for (const [id, count] of done) add(id, { done: count });
  for (const id of active.values()) add(id, { active: (elements.get(id)?.active ?? 0) + 1 });
  for (const id of incidents.values()) add(id, { incidents: (elements.get(id)?.incidents ?? 0) + 1 });
  return { elements, flows };
}

/** An incident stands in its entry as an object; a rehearsal has its members in the entry itself. */
function incidentOf(entry: Step): { readonly incident: number; readonly elementId: string } {
  const { incident } = entry;
  if (typeof incident === 'object' && incident !== null) {
    const { incident: number, elementId } = incident as { readonly incident?: unknown; readonly elementId?: unknown };
    return { incident: Number(number), elementId: textOf(elementId) };
  }
  return { incident: Number(incident), elementId: textOf(entry.elementId) };
}

/** Open incidents of called instances, by the call activity that started them. */
export function childIncidentsOf(
  activities: readonly { readonly elementId: string; readonly childIncidents?: number | undefined }[],
): ReadonlyMap<string, number> {
  const open = new Map<string, number>();
  for (const { elementId, childIncidents = 0 } of activities)
    if (childIncidents > 0) open.set(elementId, (open.get(elementId) ?? 0) + childIncidents);
  return open;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
