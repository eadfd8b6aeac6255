import { writeExact } from '../../data/exact-json.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A member of a Request Schema. `keywords` are those that have no field in the builder. */
export interface SchemaField {
  readonly name: string;
  /** Empty: any type, or several. */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  readonly keywords: Schema;
}

export function fieldsOf(schema: Schema): readonly SchemaField[] {
  const needed = Array.isArray(schema['required']) ? (schema['required'] as readonly unknown[]) : [];
  return Object.entries(objectOf(schema['properties'])).map(([name, given]) => {
    const { type, description, ...keywords } = objectOf(given);
    return {
      name,
      type: typeof type === 'string' ? type : '',
      description: typeof description === 'string' ? description : '',
      required: needed.includes(name),
      keywords: typeof type === 'string' || type === undefined ? keywords : { type, ...keywords },
    };
  });
}

/** The schema with these members; its other keywords stay. */
export function withFields(schema: Schema, fields: readonly SchemaField[]): Schema {
  const properties = Object.fromEntries(
    fields.map(({ name, type, description, keywords }) => [
      name,
      { ...(type !== '' && { type }), ...(description !== '' && { description }), ...keywords },
    ]),
  );
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const { required: _, ...others } = schema;
  return { type: 'object', ...others, properties, ...(required.length > 0 && { required }) };
}

/** The first example as JSON; '' where there is none. */
export function exampleOf(schema: Schema): string {
  const examples = schema['examples'];
  return Array.isArray(examples) && examples.length > 0 ? writeExact(examples[0]) : '';
}

/** The schema with one example, or with none. */
export function withExample(schema: Schema, example: Schema | undefined): Schema {
  const { examples: _, ...others } = schema;
  return example === undefined ? others : { type: 'object', ...others, examples: [example] };
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
