import { BpmnModdle } from 'bpmn-moddle';
import zeebe from 'zeebe-bpmn-moddle/resources/zeebe.json' with { type: 'json' };
import type { Problem } from '../types.ts';
import type { Element } from './element.ts';
import kethub from './kethub.json' with { type: 'json' };
import { limits } from './limits.ts';
import { firstLine, lineOf, problemsOf } from './warnings.ts';

const moddle = new BpmnModdle({ zeebe, kethub });

/** Parses a BPMN file into elements, without checking their meaning. */
export async function readDocument(xml: string): Promise<{ definitions: Element } | { problems: Problem[] }> {
  try {
    const { rootElement, elementsById, warnings } = await moddle.fromXML(xml);
    const problems = problemsOf({ xml, definitions: rootElement, elementsById }, warnings).slice(0, limits.problems);
    return problems.length > 0 ? { problems } : { definitions: rootElement };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    const message = `The file cannot be read as BPMN 2.0 XML: ${firstLine(reason)}`;
    return { problems: [{ elementId: null, code: 'NOT_BPMN', message, line: lineOf(reason) ?? 1 }] };
  }
}
