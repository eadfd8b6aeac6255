import { is, type Kit } from '../kit/types.ts';
import type { Places } from './places.ts';

/** Marks on a diagram where an instance is. Returns how to take them away again. */
export function showMarks(kit: Kit, { elements, flows }: Places): () => void {
  const canvas = kit.service('canvas');
  const overlays = kit.service('overlays');
  const registry = kit.service('elementRegistry');
  const marked: [string, string][] = [];
  const mark = (id: string, name: string): void => {
    canvas.addMarker(id, name);
    marked.push([id, name]);
  };
  for (const [id, { active, done, incidents }] of elements) {
    const drawn = registry.get(id);
    if (!drawn || is(drawn.businessObject, 'bpmn:Process')) continue;
    const state = incidents > 0 ? 'incident' : active > 0 ? 'active' : 'done';
    mark(id, state);
    const html = document.createElement('div');
    html.className = `token ${state}`;
    html.textContent = state === 'incident' ? '!' : state === 'active' ? String(active) : done > 1 ? `✓ ${done}` : '✓';
    html.title =
      state === 'incident' ? 'Stands still' : state === 'active' ? `Active ${active} times` : `Done ${done} times`;
    overlays.add(id, 'place', { position: { bottom: 10, right: 10 }, html, show: { minZoom: 0.3 } });
  }
  for (const id of flows) if (registry.get(id)) mark(id, 'taken');
  return () => {
    overlays.remove({ type: 'place' });
    for (const [id, name] of marked) if (registry.get(id)) canvas.removeMarker(id, name);
  };
}
