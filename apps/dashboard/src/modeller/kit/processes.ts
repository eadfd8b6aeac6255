import { adopt } from './edit.ts';
import { wholesOf } from './every-process.ts';
import { together } from './together.ts';
import { child, is, list, type Diagram, type Drawn, type Kit, type Moddle, type Services } from './types.ts';

const COMMAND = 'kethub.process';

interface Context {
  readonly root: Drawn;
  readonly diagram: Moddle;
  /** True when the process is added, false when it is removed. */
  readonly isAdded: boolean;
  /** The diagram that is shown without the process. */
  readonly beside: Drawn;
  /** Places of the process and of its diagram in the lists of the file. */
  readonly at: readonly [process: number, diagram: number];
}

/** Makes the command known by which processes are added and removed, so that both can be taken back. */
export function allowProcesses(modeler: Diagram): void {
  const stack = modeler.get('commandStack') as Services['commandStack'];
  const canvas = modeler.get('canvas') as Services['canvas'];
  const change = ({ root, diagram, beside, at }: Context, isThere: boolean): readonly Drawn[] => {
    const definitions = modeler.getDefinitions();
    const lists = [list(definitions, 'rootElements'), list(definitions, 'diagrams')] as unknown as Moddle[][];
    for (const [which, one] of [root.businessObject, diagram].entries()) {
      if (isThere) lists[which]?.splice(at[which] ?? 0, 0, one);
      else lists[which]?.splice(lists[which].indexOf(one), 1);
    }
    if (isThere) canvas.addRootElement(root);
    canvas.setRootElement(isThere ? root : beside);
    if (!isThere) canvas.removeRootElement(root);
    return [];
  };
  stack.register(COMMAND, {
    execute: (context) => change(context as unknown as Context, context['isAdded'] === true),
    revert: (context) => change(context as unknown as Context, context['isAdded'] !== true),
  });
}

/** Adds a process with a start event, which a call activity of the file can call. Returns the start event. */
export function addProcess(kit: Kit): Drawn {
  const factory = kit.service('bpmnFactory');
  const definitions = kit.modeler.getDefinitions();
  const canvas = kit.service('canvas');
  const process = factory.create('bpmn:Process', { isExecutable: true });
  const root = kit.service('elementFactory').createRoot({ type: 'bpmn:Process', businessObject: process });
  const diagram = factory.create('bpmndi:BPMNDiagram', { plane: root.di });
  adopt(process, definitions);
  adopt(diagram, definitions);
  adopt(root.di, diagram);
  const at = [list(definitions, 'rootElements').length, list(definitions, 'diagrams').length];
  return together(kit, () => {
    execute(kit, { root, diagram, isAdded: true, beside: canvas.getRootElement(), at });
    const start = kit.service('elementFactory').createShape({ type: 'bpmn:StartEvent' });
    return kit.service('modeling').createShape(start, { x: 200, y: 200 }, root);
  });
}

/** Returns whether the process in view can be removed: another one stays. */
export function canBeRemoved(kit: Kit, root: Drawn): boolean {
  return is(root.businessObject, 'bpmn:Process') && wholesOf(kit).length > 1;
}

/** Removes a process with all that is in it. Another one is shown. */
export function removeProcess(kit: Kit, root: Drawn): void {
  const definitions = kit.modeler.getDefinitions();
  const [beside = root] = wholesOf(kit).filter((one) => one !== root);
  const diagrams = list(definitions, 'diagrams');
  const diagram = diagrams.find((one) => child(child(one, 'plane'), 'bpmnElement') === root.businessObject);
  if (!diagram || beside === root) return;
  const at = [list(definitions, 'rootElements').indexOf(root.businessObject), diagrams.indexOf(diagram)];
  together(kit, () => {
    kit.service('modeling').removeElements([...(root.children ?? [])]);
    execute(kit, { root, diagram, isAdded: false, beside, at });
  });
}

function execute(kit: Kit, context: Omit<Context, 'at'> & { readonly at: readonly number[] }): void {
  kit.service('commandStack').execute(COMMAND, { ...context });
}
