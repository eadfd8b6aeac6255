import type { Draft, ScopeDraft } from './draft.ts';
import { children, text, type Element } from './element.ts';
import type { Report } from './report.ts';

/** An event with a link: it stands for a sequence flow to, or from, the other event of its name in the same scope. */
export function isLink(element: Element): boolean {
  const definitions = children(element, 'eventDefinitions');
  return definitions.length === 1 && definitions[0]?.$type === 'bpmn:LinkEventDefinition';
}

/** Adds the flows that links stand for. The colon of their ids is in no id of a file. */
export function connectLinks(report: Report, scope: ScopeDraft): void {
  const links = scope.nodes.filter(({ element }) => isLink(element));
  const [throwing, catching] = ['bpmn:IntermediateThrowEvent', 'bpmn:IntermediateCatchEvent'].map((type) =>
    links.filter(({ element }) => element.$type === type),
  );
  const targets = new Map<string, Draft>();
  for (const target of catching ?? []) {
    const name = nameOf(target);
    if (target.incoming.length > 0) refuse(target, 'No sequence flow can lead to a link that catches.');
    if (name !== '' && targets.has(name)) refuse(target, `Another link here catches ${name}.`);
    if (name === '') refuse(target, 'A link event needs a name, which the link that leads to it has as well.');
    targets.set(name, target);
  }
  for (const source of throwing ?? []) {
    const name = nameOf(source);
    const target = targets.get(name);
    if (source.outgoing.length > 0) refuse(source, 'No sequence flow can leave a link that throws.');
    if (name === '' || target === undefined) {
      refuse(
        source,
        `No link in the same process or sub-process catches ${name === '' ? 'this one, which has no name' : name}.`,
      );
      continue;
    }
    const flow = {
      $type: 'bpmn:SequenceFlow',
      id: `${source.id}:link`,
      sourceRef: source.element,
      targetRef: target.element,
    } as unknown as Element;
    source.outgoing.push(flow);
    target.incoming.push(flow);
  }

  function refuse({ element }: Draft, message: string): void {
    report.add(element, 'SEQUENCE_FLOW', message);
  }
}

function nameOf({ element }: Draft): string {
  const [definition] = children(element, 'eventDefinitions');
  return (definition === undefined ? null : text(definition, 'name'))?.trim() ?? '';
}
