import { parseExact } from '../../data/exact-json.ts';
import { extensionOf } from './edit.ts';
import { exampleOf } from './request-schema.ts';
import { list, text, type Kit } from './types.ts';

/** The example input of the first process that can be run: that of its Request Schema, else an empty object. */
export function exampleIn(kit: Kit): unknown {
  const processes = list(kit.modeler.getDefinitions(), 'rootElements').filter(
    (one) => one.$type === 'bpmn:Process' && one['isExecutable'] === true,
  );
  const starts = list(processes[0], 'flowElements').filter(({ $type }) => $type === 'bpmn:StartEvent');
  for (const start of starts) {
    const schema = text(extensionOf(start, 'kethub:RequestSchema'), 'body');
    if (schema === '') continue;
    try {
      const example = exampleOf(parseExact(schema) as Readonly<Record<string, unknown>>);
      if (example !== '') return parseExact(example);
    } catch {
      // The problem stands at the schema.
    }
  }
  return {};
}
