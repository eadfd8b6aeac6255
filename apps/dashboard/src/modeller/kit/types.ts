/** An object of the BPMN model: an element, an event definition or an extension element. */
export interface Moddle {
  readonly $type: string;
  readonly $parent?: Moddle;
  id?: string;
  readonly [name: string]: unknown;
}

/** Drawing of a business object: a shape, a connection or a label. */
export interface Drawn {
  readonly id: string;
  readonly type: string;
  readonly businessObject: Moddle;
  readonly parent?: Drawn;
  readonly host?: Drawn;
  readonly incoming: readonly Drawn[];
  readonly outgoing: readonly Drawn[];
  readonly attachers?: readonly Drawn[];
  readonly children?: readonly Drawn[];
  readonly source?: Drawn;
  readonly target?: Drawn;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly waypoints?: readonly { readonly x: number; readonly y: number }[];
  readonly labelTarget?: Drawn;
}

type Values = Readonly<Record<string, unknown>>;
interface Point {
  readonly x: number;
  readonly y: number;
}

/** The services of bpmn-js that the modeller uses. Every change goes through `modeling`, so that it can be undone. */
export interface Services {
  readonly modeling: {
    updateModdleProperties(element: Drawn, moddle: Moddle, values: Values): void;
    updateProperties(element: Drawn, values: Values): void;
    removeElements(elements: readonly Drawn[]): void;
    connect(source: Drawn, target: Drawn): Drawn;
    createShape(shape: Drawn, at: Point, parent: Drawn, hints?: { readonly attach?: boolean }): Drawn;
  };
  readonly elementRegistry: {
    get(id: string): Drawn | undefined;
    getAll(): readonly Drawn[];
  };
  readonly elementFactory: {
    createShape(attributes: Values): Drawn;
    createRoot(attributes: Values): Drawn & { readonly di: Moddle };
  };
  readonly bpmnFactory: { create(type: string, attributes?: Values): Moddle };
  readonly bpmnReplace: { replaceElement(element: Drawn, target: Values): Drawn };
  readonly autoPlace: { append(source: Drawn, shape: Drawn): Drawn };
  readonly directEditing: { cancel(): void; complete(): void };
  readonly create: { start(event: Event, shape: Drawn, hints?: { readonly source: Drawn }): void };
  readonly rules: { allowed(action: string, context: Values): unknown };
  readonly selection: {
    get(): readonly Drawn[];
    select(element: Drawn | null): void;
  };
  readonly canvas: {
    zoom(level: number | 'fit-viewport', center?: 'auto'): number;
    viewbox(): { readonly inner: Box; readonly outer: Box } & Box;
    viewbox(box: Box): void;
    scrollToElement(element: Drawn): void;
    addMarker(element: string, marker: string): void;
    removeMarker(element: string, marker: string): void;
    getContainer(): HTMLElement;
    getRootElement(): Drawn;
    getRootElements(): readonly Drawn[];
    findRoot(element: Drawn): Drawn | undefined;
    setRootElement(root: Drawn): void;
    addRootElement(root: Drawn): void;
    removeRootElement(root: Drawn): void;
  };
  readonly overlays: {
    add(
      element: string,
      type: string,
      overlay: { readonly position: Values; readonly html: HTMLElement; readonly show?: Values },
    ): string;
    remove(filter: { readonly type: string }): void;
  };
  readonly commandStack: {
    register(
      command: string,
      handler:
        | { preExecute(context: Values): void }
        | { execute(context: Values): readonly Drawn[]; revert(context: Values): readonly Drawn[] },
    ): void;
    execute(command: string, context: Values): void;
    undo(): void;
    redo(): void;
    canUndo(): boolean;
    canRedo(): boolean;
  };
  readonly eventBus: {
    on(event: string | readonly string[], listener: (event: Values) => unknown): void;
    on(event: string | readonly string[], priority: number, listener: (event: Values) => unknown): void;
    off(event: string | readonly string[], listener: (event: Values) => unknown): void;
  };
}
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A modeler or viewer of bpmn-js. */
export interface Diagram {
  importXML(xml: string): Promise<{ readonly warnings: readonly unknown[] }>;
  saveXML(options: { readonly format: boolean }): Promise<{ readonly xml?: string }>;
  saveSVG(): Promise<{ readonly svg: string }>;
  getDefinitions(): Moddle;
  get(service: string): unknown;
  destroy(): void;
}

/** A modeler or viewer, with its services by name. */
export interface Kit {
  readonly modeler: Diagram;
  /** Elements without a drawing in the file, which were laid out when it was opened. */
  readonly laidOut: readonly Moddle[];
  service<Name extends keyof Services>(name: Name): Services[Name];
}

/** Returns whether a business object is of a type or of one derived from it, such as `bpmn:Activity`. */
export function is(moddle: Moddle | undefined, type: string): boolean {
  const instanceOf = moddle?.['$instanceOf'];
  return typeof instanceOf === 'function' && Boolean((instanceOf as (type: string) => unknown).call(moddle, type));
}

/** Text of an attribute or a body; '' where there is none. */
export function text(moddle: Moddle | null | undefined, name: string): string {
  const value = moddle?.[name];
  return typeof value === 'string' ? value : '';
}

/** Objects of a list; none where there is no list. */
export function list(moddle: Moddle | null | undefined, name: string): readonly Moddle[] {
  const value = moddle?.[name];
  return Array.isArray(value) ? (value as readonly Moddle[]) : [];
}

export function child(moddle: Moddle | null | undefined, name: string): Moddle | null {
  const value = moddle?.[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Moddle) : null;
}

/** The first event definition of an event. */
export function definitionOf(moddle: Moddle): Moddle | null {
  return list(moddle, 'eventDefinitions')[0] ?? null;
}
