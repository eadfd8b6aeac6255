import { is, type Box, type Drawn, type Kit } from '../kit/types.ts';
import { cornerFor } from './corner.ts';
import type { Progress } from './progress.ts';

/**
 * Marks the progress of an instance on its diagram. `childIncidents`: incidents of called instances, by call activity.
 * Returns a function that removes the marks.
 */
export function showMarks(
  kit: Kit,
  { elements, flows }: Progress,
  childIncidents: ReadonlyMap<string, number> = new Map(),
): () => void {
  const canvas = kit.service('canvas');
  const overlays = kit.service('overlays');
  const registry = kit.service('elementRegistry');
  const labels = registry.getAll().filter(({ labelTarget, waypoints }) => labelTarget !== undefined && !waypoints);
  const marked: [string, string][] = [];
  const mark = (id: string, name: string): void => {
    canvas.addMarker(id, name);
    marked.push([id, name]);
  };
  for (const [id, { active, done, incidents }] of elements) {
    const drawn = registry.get(id);
    if (!drawn || is(drawn.businessObject, 'bpmn:Process')) continue;
    const open = incidents + (childIncidents.get(id) ?? 0);
    const state = open > 0 ? 'incident' : active > 0 ? 'active' : 'done';
    mark(id, state);
    const html = document.createElement('div');
    html.className = `token ${state}`;
    html.textContent = state === 'incident' ? '!' : state === 'active' ? String(active) : done > 1 ? `✓ ${done}` : '✓';
    html.ariaHidden = 'true';
    html.title =
      state === 'incident' ? 'Stands still' : state === 'active' ? `Active ${active} times` : `Done ${done} times`;
    overlays.add(id, 'token', { position: cornerFor(boxOf(drawn), labels.map(boxOf)), html, show: { minZoom: 0.3 } });
  }
  for (const id of flows) if (registry.get(id)) mark(id, 'taken');
  return () => {
    overlays.remove({ type: 'token' });
    for (const [id, name] of marked) if (registry.get(id)) canvas.removeMarker(id, name);
  };
}

function boxOf({ x, y, width, height }: Drawn): Box {
  return { x, y, width, height };
}
