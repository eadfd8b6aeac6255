import { BpmnModdle, type ModdleWarning } from 'bpmn-moddle';
import zeebe from 'zeebe-bpmn-moddle/resources/zeebe.json' with { type: 'json' };
import type { Problem } from '../types.ts';
import { idOf, type Element } from './element.ts';
import { limits } from './limits.ts';
import { invalidId } from './names.ts';
import kethub from './kethub.json' with { type: 'json' };

const moddle = new BpmnModdle({ zeebe, kethub });

/** The elements of a BPMN file, not yet judged by what they mean. */
export async function readDocument(xml: string): Promise<{ definitions: Element } | { problems: Problem[] }> {
  try {
    const { rootElement, warnings } = await moddle.fromXML(xml);
    const problems = warnings.flatMap(problemOf).slice(0, limits.problems);
    return problems.length > 0 ? { problems } : { definitions: rootElement };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    const message = `The file cannot be read as BPMN 2.0 XML: ${firstLine(reason)}`;
    return { problems: [{ elementId: null, code: 'NOT_BPMN', message, line: lineOf(reason) ?? 1 }] };
  }
}

/** What the parser could not make sense of. Only pictures of diagrams may be incomplete: nothing depends on them. */
function problemOf({ message, element, property, value, error }: ModdleWarning): Problem[] {
  if (message.startsWith('unsupported document encoding')) return [];
  const elementId = idOf(element);
  if (message.startsWith('unresolved reference')) {
    if (element !== undefined && /^(bpmndi|dc|di):/.test(element.$type)) return [];
    const text = `${property ?? 'A reference'} names ${String(value)}, which is not in the file.`;
    return [{ elementId, code: 'DANGLING_REFERENCE', message: text }];
  }
  const duplicate = /duplicate ID <([^>]*)>/.exec(message)?.[1];
  if (duplicate !== undefined) {
    return [{ elementId: duplicate, code: 'DUPLICATE_ID', message: `More than one element has the id ${duplicate}.` }];
  }
  const illegal = /illegal ID <([^>]*)>/.exec(message)?.[1];
  if (illegal !== undefined) return [invalidId(illegal)];
  const line = lineOf(message);
  const text = `A part of the file cannot be read: ${firstLine(error?.message ?? message)}`;
  return [{ elementId, code: 'UNKNOWN_CONTENT', message: text, ...(line === null ? {} : { line }) }];
}

/** The parser counts lines from 0. */
function lineOf(message: string): number | null {
  const line = /line: (\d+)/.exec(message)?.[1];
  return line === undefined ? null : Number(line) + 1;
}

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').trim();
