import { is, type Drawn, type Kit } from '../kit/types.ts';
import { runs, type Kind } from '../kit/runs.ts';
import { together } from '../kit/together.ts';

const TASK = { width: 100, height: 80 };
/** Pixels between the start event of an empty diagram and its upper left corner. */
const FIRST = { x: 200, y: 200 };

/** Appends an element behind another one, connected to it. */
export function append(kit: Kit, source: Drawn, { shape }: Kind): Drawn {
  return appendShape(kit, source, kit.service('elementFactory').createShape(shape));
}

/** Puts a new element behind another one. The canvas would ask for its name, and take the focus from the outline. */
export function appendShape(kit: Kit, source: Drawn, shape: Drawn): Drawn {
  const placed = kit.service('autoPlace').append(source, shape);
  kit.service('directEditing').cancel();
  return placed;
}

/** Returns whether something can follow an element. */
export function canBeFollowed({ businessObject }: Drawn): boolean {
  return is(businessObject, 'bpmn:FlowNode') && !is(businessObject, 'bpmn:EndEvent');
}

/** Attaches an event to the lower border of an activity, to the right of those that are there. */
export function attach(kit: Kit, host: Drawn, { shape }: Kind): Drawn {
  const made = kit.service('elementFactory').createShape(shape);
  const present = (host.attachers ?? []).length;
  const x = host.x + Math.max(20, host.width - 20 - 44 * present);
  return kit.service('modeling').createShape(made, { x, y: host.y + host.height }, host, { attach: true });
}

/** Puts a start event into a diagram or a sub-process. */
export function addStart(kit: Kit, scope: Drawn): Drawn {
  const made = kit.service('elementFactory').createShape({ type: 'bpmn:StartEvent' });
  const at = is(scope.businessObject, 'bpmn:SubProcess') ? { x: scope.x + 50, y: scope.y + scope.height / 2 } : FIRST;
  return kit.service('modeling').createShape(made, at, scope);
}

/** Puts an event sub-process with its start event below everything else. */
export function addEventSubProcess(kit: Kit, scope: Drawn): Drawn {
  const factory = kit.service('elementFactory');
  const below = Math.max(FIRST.y, ...(scope.children ?? []).map((one) => (one.y ?? 0) + (one.height ?? 0)));
  const modeling = kit.service('modeling');
  return together(kit, () => {
    const made = factory.createShape({ type: 'bpmn:SubProcess', isExpanded: true, triggeredByEvent: true });
    const around = modeling.createShape(made, { x: FIRST.x + 175, y: below + TASK.height + 100 }, scope);
    const start = factory.createShape({ type: 'bpmn:StartEvent', eventDefinitionType: 'bpmn:ErrorEventDefinition' });
    modeling.createShape(start, { x: around.x + 50, y: around.y + around.height / 2 }, around);
    return around;
  });
}

/** Elements to which an element can be connected by a flow. */
export function targetsOf(kit: Kit, source: Drawn): readonly Drawn[] {
  const rules = kit.service('rules');
  return kit
    .service('elementRegistry')
    .getAll()
    .filter(
      (target) =>
        target.parent === source.parent &&
        target !== source &&
        is(target.businessObject, 'bpmn:FlowNode') &&
        !target.labelTarget &&
        Boolean(rules.allowed('connection.create', { source, target })),
    );
}

/** Connects two elements by a flow. The source stays selected. */
export function connect(kit: Kit, source: Drawn, target: Drawn): void {
  kit.service('modeling').connect(source, target);
  kit.service('selection').select(source);
}

interface MenuEntry {
  readonly label: string;
  action(event?: unknown, entry?: unknown): unknown;
}
interface ReplaceMenu {
  getPopupMenuEntries(element: Drawn): Readonly<Record<string, MenuEntry>>;
}

/** Kinds of element into which an element can be changed, as in the menu of the canvas, and only those that run. */
export function changesOf(kit: Kit, element: Drawn): readonly (readonly [name: string, run: () => void])[] {
  // The form of a flow has its condition and whether it is the default.
  if (!is(element.businessObject, 'bpmn:FlowNode')) return [];
  const menu = kit.modeler.get('replaceMenuProvider') as ReplaceMenu;
  return Object.entries(menu.getPopupMenuEntries(element)).flatMap(([id, entry]) =>
    runs(id)
      ? [
          [
            entry.label,
            () => {
              entry.action(undefined, entry);
              kit.service('directEditing').cancel();
            },
          ] as const,
        ]
      : [],
  );
}
