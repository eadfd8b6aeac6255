import { importBpmnDiagram } from 'bpmn-js/lib/import/Importer.js';
import { child, is, list, type Diagram, type Drawn, type Kit, type Moddle, type Services } from './types.ts';

type Import = (modeler: Diagram, definitions: Moddle, diagram: Moddle) => Promise<unknown>;

/**
 * Draws the processes beside the diagram that bpmn-js shows, each as a root of its own. So all of them are found,
 * changed and taken back in one modeler. A process that cannot be drawn is left out.
 */
export function drawEveryProcess(modeler: Diagram): void {
  const canvas = modeler.get('canvas') as Services['canvas'];
  const shown = canvas.getRootElement();
  const definitions = modeler.getDefinitions();
  const pools = new Set(
    list(definitions, 'rootElements').flatMap((one) =>
      list(one, 'participants').map((pool) => child(pool, 'processRef')),
    ),
  );
  const drawn = new Set<Moddle | null>(canvas.getRootElements().map(({ businessObject }) => businessObject));
  for (const diagram of list(definitions, 'diagrams')) {
    const process = child(child(diagram, 'plane'), 'bpmnElement');
    if (process?.$type !== 'bpmn:Process' || drawn.has(process) || pools.has(process)) continue;
    drawn.add(process);
    (importBpmnDiagram as unknown as Import)(modeler, definitions, diagram).catch(() => undefined);
  }
  canvas.setRootElement(shown);
}

/** The processes and collaborations that are drawn as a whole, in the order of the file. */
export function wholesOf(kit: Kit): readonly Drawn[] {
  const roots = kit.service('canvas').getRootElements();
  return list(kit.modeler.getDefinitions(), 'rootElements').flatMap((one) =>
    is(one, 'bpmn:Process') || is(one, 'bpmn:Collaboration')
      ? roots.filter(({ businessObject }) => businessObject === one)
      : [],
  );
}

/** Returns whether an element is a whole diagram: a process, a collaboration, or the inside of a sub-process. */
export function isRoot(kit: Kit, element: Drawn): boolean {
  return kit.service('canvas').getRootElements().includes(element);
}
