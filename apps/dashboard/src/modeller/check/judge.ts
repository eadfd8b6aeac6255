import { Validator } from '@cfworker/json-schema';
import { parse, requirements } from '@kethub/workflow';

/** Complaints that are shown. Further ones are left out. */
const MOST = 20;
/** Keywords whose complaints only repeat that something is wrong inside. */
const AROUND = new Set(['properties', '$ref', 'items', 'allOf', 'anyOf', 'oneOf']);

/** Complaints of the Request Schema of a workflow about an input. A start with such an input is refused. */
export async function judge(xml: string, input: string): Promise<readonly string[]> {
  const parsed = await parse(xml);
  const schema = 'problems' in parsed ? null : requirements(parsed.graph).requestSchema;
  if (schema === null) return [];
  // Doubles are enough here: no keyword compares the last digits of a number.
  const { $secrets: _, $tags: __, ...given } = JSON.parse(input) as Readonly<Record<string, unknown>>;
  const { errors } = new Validator(schema, '2020-12', false).validate(given);
  return errors
    .filter(({ keyword }) => !AROUND.has(keyword))
    .slice(0, MOST)
    .map(({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, '') || 'The input'}: ${error}`);
}
