import 'bpmn-js/dist/assets/diagram-js.css';
import 'bpmn-js/dist/assets/bpmn-js.css';
import '../modeller.css';
import kethub from '@kethub/workflow/kethub.json' with { type: 'json' };
import NavigatedViewer from 'bpmn-js/lib/NavigatedViewer.js';
import zeebe from 'zeebe-bpmn-moddle/resources/zeebe.json' with { type: 'json' };
import { drawMissing } from './draw-missing.ts';
import { drawEveryProcess, isRoot } from './every-process.ts';
import type { Diagram, Drawn, Kit, Moddle, Services } from './types.ts';
import { shortened } from './words.ts';

/** Colours of elements: variables of the page, so that they follow light and dark. */
const COLOURS = {
  defaultFillColor: 'var(--panel)',
  defaultStrokeColor: 'var(--ink)',
  defaultLabelColor: 'var(--ink)',
};
const FONT = {
  defaultStyle: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontSize: 12 },
  externalStyle: { fontSize: 11 },
};

/** The class of bpmn-js, whose declaration the compiler reads as that of a CommonJS module. */
const ViewerClass = NavigatedViewer as unknown as new (options: object) => Diagram;

/** A viewer that shows a diagram and changes nothing. The caller destroys it. */
export function openViewer(container: HTMLElement): Kit {
  return kitOf(new ViewerClass(optionsFor(container)));
}

/** Options that viewer and modeler have in common. */
export function optionsFor(container: HTMLElement): object {
  return { container, moddleExtensions: { zeebe, kethub }, bpmnRenderer: COLOURS, textRenderer: FONT };
}

export function kitOf(modeler: Diagram): Kit {
  drawShortTexts(modeler);
  const laidOut: Moddle[] = [];
  const kit: Kit = { modeler, laidOut, service: (name) => modeler.get(name) as Services[typeof name] };
  const moddle = modeler.get('moddle') as { create(type: string, values: object): Moddle };
  kit.service('eventBus').on('import.parse.complete', ({ definitions, elementsById }) => {
    if (!definitions) return;
    const create = (type: string, values: object): Moddle => moddle.create(type, values);
    laidOut.splice(0, Infinity, ...drawMissing(definitions as Moddle, create, Object.keys(elementsById as object)));
  });
  kit.service('eventBus').on('import.done', ({ error }) => {
    if (error === null || error === undefined) drawEveryProcess(modeler);
  });
  return kit;
}

/** Characters of a text that are drawn. */
const LONGEST_DRAWN = 2_000;

/** Draws the beginning of long texts: bpmn-js measures all that is left of a text for each of its lines. */
function drawShortTexts(modeler: Diagram): void {
  const renderer = modeler.get('textRenderer') as TextRenderer;
  const { createText, getExternalLabelBounds, getTextAnnotationBounds } = renderer;
  renderer.createText = (text, options) => createText(shortened(text ?? '', LONGEST_DRAWN), options);
  renderer.getExternalLabelBounds = (bounds, text) =>
    getExternalLabelBounds(bounds, shortened(text ?? '', LONGEST_DRAWN));
  renderer.getTextAnnotationBounds = (bounds, text) =>
    getTextAnnotationBounds(bounds, shortened(text ?? '', LONGEST_DRAWN));
}

/** Service of bpmn-js that lays texts out. Its functions need no `this`. */
interface TextRenderer {
  createText: (text: string | undefined, options: object) => unknown;
  getExternalLabelBounds: (bounds: object, text: string | undefined) => object;
  getTextAnnotationBounds: (bounds: object, text: string | undefined) => object;
}

/** Brings an element into view and selects it; null selects none. A whole diagram is shown and not selected. */
export function selectIn(kit: Kit, element: Drawn | null): void {
  // It shows the diagram of the element first, and the canvas forgets its selection then.
  if (element) kit.service('canvas').scrollToElement(element);
  kit.service('selection').select(element && isRoot(kit, element) ? null : element);
}

/** Shows the whole diagram, beside what covers the left of the canvas: `left` in pixels. */
export function fit(kit: Kit, left: number): void {
  const canvas = kit.service('canvas');
  const { inner, outer } = canvas.viewbox();
  const margin = 24;
  const scale = Math.min(
    1,
    (outer.width - left - 2 * margin) / Math.max(inner.width, 1),
    (outer.height - 2 * margin) / Math.max(inner.height, 1),
  );
  if (!(scale > 0)) return;
  const width = outer.width / scale;
  const height = outer.height / scale;
  canvas.viewbox({
    x: inner.x - (left + margin) / scale - Math.max(0, (outer.width - left - 2 * margin) / scale - inner.width) / 2,
    y: inner.y - (height - inner.height) / 2,
    width,
    height,
  });
}
