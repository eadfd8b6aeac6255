// The part of bpmn-moddle and its descriptors that is used; neither brings types for its main entry.
declare module 'bpmn-moddle' {
  export interface ModdleElement {
    readonly $type: string;
    readonly $parent?: ModdleElement;
    readonly $attrs: Readonly<Record<string, unknown>>;
    readonly id?: string;
    set(property: string, value: unknown): void;
    readonly [property: string]: unknown;
  }

  export interface ModdleWarning {
    readonly message: string;
    readonly element?: ModdleElement;
    readonly property?: string;
    readonly value?: unknown;
    readonly error?: Error;
  }

  export class BpmnModdle {
    constructor(packages: Readonly<Record<string, unknown>>);
    fromXML(xml: string): Promise<{
      rootElement: ModdleElement;
      elementsById: Readonly<Record<string, ModdleElement>>;
      warnings: readonly ModdleWarning[];
    }>;
    toXML(element: ModdleElement, options?: { readonly format?: boolean }): Promise<{ xml: string }>;
  }
}
