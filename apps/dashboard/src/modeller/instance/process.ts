import { child, is, type Kit } from '../kit/types.ts';

/**
 * Shows the diagram of a process, which may be another one than the file shows first. Throws an Error with a sentence
 * when the file draws the process nowhere.
 */
export function showProcess(kit: Kit, processId: string): void {
  const canvas = kit.service('canvas');
  const root = canvas.getRootElements().find(({ businessObject }) => businessObject.id === processId);
  if (root) canvas.setRootElement(root);
  else if (!isPool(kit, processId)) throw new Error(`the file does not draw the process ${processId}`);
}

/** Returns whether a process is drawn as a pool. */
function isPool(kit: Kit, processId: string): boolean {
  return kit
    .service('elementRegistry')
    .getAll()
    .some(
      ({ businessObject }) =>
        is(businessObject, 'bpmn:Participant') && child(businessObject, 'processRef')?.id === processId,
    );
}
