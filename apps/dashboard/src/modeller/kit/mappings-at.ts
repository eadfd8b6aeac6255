import { definitionOf, is, type Moddle } from './types.ts';

/** Mappings that the platform takes at an element; at others it refuses them. */
export function mappingsAt(moddle: Moddle): { readonly inputs: boolean; readonly outputs: boolean } {
  const { $type } = moddle;
  const kind = definitionOf(moddle)?.$type ?? '';
  if (is(moddle, 'bpmn:Activity')) {
    const isPlain = moddle['triggeredByEvent'] !== true;
    return { inputs: isPlain, outputs: isPlain };
  }
  const sends = kind === 'bpmn:MessageEventDefinition' || kind === 'bpmn:SignalEventDefinition';
  if ($type === 'bpmn:EndEvent') return { inputs: sends, outputs: kind !== 'bpmn:ErrorEventDefinition' };
  const throws = $type === 'bpmn:IntermediateThrowEvent';
  return { inputs: throws, outputs: throws || is(moddle, 'bpmn:CatchEvent') };
}
