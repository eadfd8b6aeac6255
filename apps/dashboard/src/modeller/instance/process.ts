import { child, is, list, type Kit } from '../kit/types.ts';

/**
 * Shows the diagram of a process, which may be another one than the file shows first. Throws an Error with a sentence
 * when the file draws the process nowhere.
 */
export async function showProcess(kit: Kit, processId: string): Promise<void> {
  if (isDrawn(kit, processId)) return;
  const diagram = list(kit.modeler.getDefinitions(), 'diagrams').find(
    (one) => child(child(one, 'plane'), 'bpmnElement')?.id === processId,
  );
  if (!diagram) throw new Error(`the file does not draw the process ${processId}`);
  await kit.modeler.open(diagram);
}

/** Returns whether the diagram in view has the process: as a whole, or as a pool. */
function isDrawn(kit: Kit, processId: string): boolean {
  const root = kit.service('canvas').getRootElement();
  if (root.businessObject.id === processId) return true;
  return kit
    .service('elementRegistry')
    .getAll()
    .some(
      ({ businessObject }) =>
        is(businessObject, 'bpmn:Participant') && child(businessObject, 'processRef')?.id === processId,
    );
}
