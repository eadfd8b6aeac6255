import { nodesOf } from '../kit/lay-out.ts';
import { is, list, type Kit, type Moddle } from '../kit/types.ts';
import { nameOf } from '../kit/words.ts';
import type { Finding } from './protocol.ts';

/** Names that a message shows. */
const MOST_NAMES = 5;

/** Warnings about elements that have no drawing in the file. */
export function drawingFindings(kit: Kit): readonly Finding[] {
  const registry = kit.service('elementRegistry');
  const processes = list(kit.modeler.getDefinitions(), 'rootElements').filter(({ $type }) => $type === 'bpmn:Process');
  const missing = processes.flatMap(withInner).filter(({ id = '' }) => !registry.get(id));
  const laidOut = kit.laidOut.filter(({ id = '' }) => registry.get(id));
  return [
    ...warning(laidOut, 'were laid out here, and your next change saves that'),
    ...warning(
      missing,
      'cannot be selected here. Draw them in the program that made the file, or in a file without them',
    ),
  ];
}

function warning(elements: readonly Moddle[], whatNow: string): Finding[] {
  if (elements.length === 0) return [];
  const names = elements.slice(0, MOST_NAMES).map(nameOf).join(', ');
  const more = elements.length > MOST_NAMES ? ` and ${elements.length - MOST_NAMES} more` : '';
  const message = `Elements without a drawing in the file: ${names}${more}. They ${whatNow}.`;
  return [{ elementId: elements[0]?.id ?? null, message, isWarning: true }];
}

/** The flow nodes of a scope, and those of its sub-processes. */
function withInner(scope: Moddle): readonly Moddle[] {
  return nodesOf(scope).flatMap((node) => (is(node, 'bpmn:SubProcess') ? [node, ...withInner(node)] : [node]));
}
