import { atPointer, fieldsOfObject, type Field } from './schema.ts';
import { isValues, type Values } from './values.ts';

/** The input of POST as an OpenAPI document describes it. */
export interface DescribedInput {
  /** Fields of the body; none when the document names no members. */
  readonly fields: readonly Field[];
  /** The first example of the body. */
  readonly example: Values;
}

const NOTHING: DescribedInput = { fields: [], example: {} };

/** Reads the input of a service, which has no signature, from its OpenAPI document. */
export function describedInput(document: unknown): DescribedInput {
  const content = atPointer(document, '#/paths/~1/post/requestBody/content/application~1json');
  if (!isValues(document) || !isValues(content) || !isValues(content['schema'])) return NOTHING;
  const { schema } = content;
  const fields = fieldsOfObject({ ...schema, components: document['components'] }) ?? [];
  const target = typeof schema['$ref'] === 'string' ? atPointer(document, schema['$ref']) : schema;
  return { fields: fields.flatMap(withoutReserved), example: exampleIn(content) ?? exampleIn(target) ?? {} };
}

/** A form asks for each secret of `$secrets`, and not for `$tags`. A member of the body itself is sent in clear. */
function withoutReserved(field: Field): readonly Field[] {
  if (field.name === '$secrets') return field.kind === 'group' ? field.fields : [];
  if (field.name === '$tags') return [];
  return [field.kind === 'secret' ? { ...field, kind: 'text' } : field];
}

function exampleIn(holder: unknown): Values | null {
  if (!isValues(holder)) return null;
  const { example, examples } = holder;
  if (isValues(example)) return example;
  // A schema has a list of values; a media type has named objects, each with a member `value`.
  const named = isValues(examples) ? Object.values(examples)[0] : undefined;
  const found: unknown = Array.isArray(examples) ? examples[0] : isValues(named) ? named['value'] : undefined;
  return isValues(found) ? found : null;
}
