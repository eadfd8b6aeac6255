import { KINDS, runs, type Kind } from './runs.ts';
import { PLATFORM_SERVICE } from './services.ts';
import { setExtension, extensionOf } from './edit.ts';
import { child, is, type Drawn, type Kit, type Services } from './types.ts';

type Entries = Record<string, unknown>;
type Filter = (entries: Entries) => Entries;
interface Menu {
  registerProvider(
    id: string,
    priority: number,
    provider: { getPopupMenuEntries(element: Drawn): Filter; getPopupMenuHeaderEntries(): Filter },
  ): void;
}
interface Pad {
  registerProvider(priority: number, provider: { getContextPadEntries(element: Drawn): Filter }): void;
}
interface Palette {
  registerProvider(provider: { getPaletteEntries(): Entries }): void;
}
interface Tools {
  activateHand(event: Event): void;
}
interface Selecting {
  activateSelection(event: Event): void;
}
interface Connecting {
  start(event: Event): void;
}

/** Lower than the provider of bpmn-js, so that its entries are there to be filtered. */
const AFTER = 500;
/** Entries of the palette; the others are appended from an element. */
const IN_PALETTE = ['exclusive', 'parallel', 'service', 'script', 'call'];

const onlyThatRun: Filter = (entries) => Object.fromEntries(Object.entries(entries).filter(([id]) => runs(id)));

/** False for a flow whose source takes all its flows: it has neither a condition nor a default. */
function decides({ businessObject }: Drawn): boolean {
  const source = child(businessObject, 'sourceRef') ?? undefined;
  const isFlow = businessObject.$type === 'bpmn:SequenceFlow';
  return !isFlow || is(source, 'bpmn:ExclusiveGateway') || is(source, 'bpmn:InclusiveGateway');
}

/** Leaves what runs in the menu that changes an element, and gives every service task its definition. */
function MenuOfWhatRuns(this: unknown, popupMenu: Menu): void {
  popupMenu.registerProvider('bpmn-replace', AFTER, {
    getPopupMenuEntries: (element) => (entries) => (decides(element) ? onlyThatRun(entries) : {}),
    getPopupMenuHeaderEntries: () => onlyThatRun,
  });
}
MenuOfWhatRuns.$inject = ['popupMenu'];

type Start = (event: Event, shape: Drawn | readonly Drawn[], hints?: unknown) => void;

/** The pad beside a selected element appends a service task in place of one that does nothing. */
function PadOfWhatRuns(
  this: unknown,
  contextPad: Pad,
  elementFactory: Services['elementFactory'],
  create: { readonly start: Start },
  autoPlace: Services['autoPlace'],
): void {
  const service = (): Drawn => elementFactory.createShape({ type: 'bpmn:ServiceTask' });
  contextPad.registerProvider(AFTER, {
    getContextPadEntries: () => (entries) => {
      const shown = onlyThatRun(entries);
      delete shown['append.condition-intermediate-event'];
      if (shown['append.append-task'] === undefined) return shown;
      shown['append.append-task'] = {
        group: 'model',
        className: 'bpmn-icon-service-task',
        title: 'Append service task',
        action: {
          click: (_: Event, source: Drawn) => autoPlace.append(source, service()),
          dragstart: (event: Event, source: Drawn) => create.start(event, service(), { source }),
        },
      };
      return shown;
    },
  });
}
PadOfWhatRuns.$inject = ['contextPad', 'elementFactory', 'create', 'autoPlace'];

/** The palette at the left of the canvas: tools, and elements that run. */
// oxlint-disable-next-line max-params -- bpmn-js passes what it injects by position
function PaletteOfWhatRuns(
  this: unknown,
  palette: Palette,
  create: { readonly start: Start },
  elementFactory: Services['elementFactory'],
  handTool: Tools,
  lassoTool: Selecting,
  spaceTool: Selecting,
  globalConnect: Connecting,
): void {
  const tool = (icon: string, title: string, click: (event: Event) => void): unknown => ({
    group: 'tools',
    className: `bpmn-icon-${icon}`,
    title,
    action: { click },
  });
  const element = (icon: string, name: string, shapes: () => Drawn | readonly Drawn[]): unknown => {
    const start = (event: Event): void => create.start(event, shapes());
    return {
      group: 'elements',
      className: `bpmn-icon-${icon}`,
      title: `Create ${name}`,
      action: { dragstart: start, click: start },
    };
  };
  const ofKind = ({ icon, name, shape }: Kind): unknown =>
    element(icon, name.toLowerCase(), () => elementFactory.createShape(shape));
  palette.registerProvider({
    getPaletteEntries: () => ({
      hand: tool('hand-tool', 'Move the canvas', (event) => handTool.activateHand(event)),
      lasso: tool('lasso-tool', 'Select several elements', (event) => lassoTool.activateSelection(event)),
      space: tool('space-tool', 'Make or remove space', (event) => spaceTool.activateSelection(event)),
      connect: tool('connection-multi', 'Connect elements', (event) => globalConnect.start(event)),
      separator: { group: 'tools', separator: true },
      start: element('start-event-none', 'start event', () => elementFactory.createShape({ type: 'bpmn:StartEvent' })),
      event: element('intermediate-event-catch-timer', 'timer, also on the border of a task', () =>
        elementFactory.createShape({
          type: 'bpmn:IntermediateCatchEvent',
          eventDefinitionType: 'bpmn:TimerEventDefinition',
        }),
      ),
      end: element('end-event-none', 'end event', () => elementFactory.createShape({ type: 'bpmn:EndEvent' })),
      ...Object.fromEntries(KINDS.filter(({ id }) => IN_PALETTE.includes(id)).map((kind) => [kind.id, ofKind(kind)])),
      subProcess: element('subprocess-expanded', 'sub-process', () => [
        elementFactory.createShape({ type: 'bpmn:SubProcess', isExpanded: true, x: 0, y: 0 }),
      ]),
    }),
  });
}
PaletteOfWhatRuns.$inject = [
  'palette',
  'create',
  'elementFactory',
  'handTool',
  'lassoTool',
  'spaceTool',
  'globalConnect',
];

/** Module of bpmn-js that offers what runs and nothing else. */
export const whatRuns = {
  __init__: ['menuOfWhatRuns', 'padOfWhatRuns'],
  paletteProvider: ['type', PaletteOfWhatRuns],
  menuOfWhatRuns: ['type', MenuOfWhatRuns],
  padOfWhatRuns: ['type', PadOfWhatRuns],
};

/** Gives every new service task the definition without which the platform does not know it. */
export function defineServiceTasks(kit: Kit): void {
  const define = ({ context }: Readonly<Record<string, unknown>>): void => {
    const { shape, newShape = shape } = context as { readonly shape?: Drawn; readonly newShape?: Drawn };
    if (newShape?.businessObject.$type !== 'bpmn:ServiceTask' || newShape.labelTarget) return;
    if (extensionOf(newShape.businessObject, 'zeebe:TaskDefinition') === null)
      setExtension(kit, newShape, 'zeebe:TaskDefinition', { type: PLATFORM_SERVICE });
  };
  kit
    .service('eventBus')
    .on(['commandStack.shape.create.postExecuted', 'commandStack.shape.replace.postExecuted'], define);
}
