import 'bpmn-js/dist/assets/bpmn-font/css/bpmn.css';
import Modeler from 'bpmn-js/lib/Modeler.js';
import camundaCloud from 'camunda-bpmn-js-behaviors/lib/camunda-cloud/index.js';
import { allowProcesses } from './processes.ts';
import { defineServiceTasks, whatRuns } from './rules.ts';
import { allowTogether } from './together.ts';
import type { Diagram, Kit } from './types.ts';
import { kitOf, optionsFor } from './view.ts';

/** The class of bpmn-js, whose declaration the compiler reads as that of a CommonJS module. */
const ModelerClass = Modeler as unknown as new (options: object) => Diagram;

/** Returns why a file cannot be drawn; null where it can. Opens it where nobody sees it. */
export async function whyNotDrawn(xml: string): Promise<string | null> {
  const container = document.createElement('div');
  container.className = 'sr-only';
  container.ariaHidden = 'true';
  document.body.append(container);
  const { modeler } = openModeler(container);
  try {
    await modeler.importXML(xml);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    modeler.destroy();
    container.remove();
  }
}

/** A modeler in an element of the page. The caller destroys it. */
export function openModeler(container: HTMLElement): Kit {
  const additionalModules = [camundaCloud, whatRuns];
  const kit = kitOf(new ModelerClass({ ...optionsFor(container), additionalModules }));
  defineServiceTasks(kit);
  allowTogether(kit.modeler);
  allowProcesses(kit.modeler);
  return kit;
}
