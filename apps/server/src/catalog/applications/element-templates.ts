import { limits, type ElementTemplate } from '@kethub/contract';
import { isObject, member, resolved, type Json, type JsonObject } from '@kethub/service-api/specification';
import type { Context, Platform } from '../../foundation/platform.ts';
import { specificationFor } from '../services/index.ts';
import { requireApplication } from './access-keys.ts';
import { subscriptionsOf } from './queries.ts';

/** The schema of element templates that Camunda's desktop modeler reads. */
const SCHEMA = 'https://unpkg.com/@camunda/zeebe-element-templates-json-schema/resources/schema.json';
/** Names that FEEL reads as one variable. */
const NAME = /^[A-Za-z_]\w{0,99}$/;
/** The schema of a failed execution, which every derived document has beside that of its result. */
const FAILURE = '#/components/schemas/Failure';
/** Members of a schema that become fields; an application that passes more passes an object. */
const MOST_FIELDS = 100;

/**
 * Element templates for Camunda's desktop modeler: a service task for each service that the application is subscribed
 * to, the newest subscriptions first. On-premise services have none. Throws not-found.
 */
export async function readElementTemplates(
  { database: { read } }: Platform,
  owner: Context,
  applicationId: string,
): Promise<ElementTemplate[]> {
  await requireApplication(read, owner, applicationId);
  const rows = await subscriptionsOf(read, applicationId)
    .select('subscriptions.service_version_id')
    .limit(limits.elementTemplates)
    .execute();
  const templates: ElementTemplate[] = [];
  for (const row of rows) {
    const document = await specificationFor(read, row.service_id, row.service_version_id);
    if (document !== null) templates.push(templateOf(row, document));
  }
  return templates;
}

interface Subscribed {
  readonly service_id: string;
  readonly name: string;
  readonly version: string;
}

function templateOf({ service_id, name, version }: Subscribed, document: JsonObject): ElementTemplate {
  const { description } = (isObject(document['info']) ? document['info'] : {}) as { description?: Json };
  const outputs = resultFields(document);
  return {
    $schema: SCHEMA,
    name,
    id: `kethub:service:${service_id}`,
    version: numberOf(version),
    ...(typeof description === 'string' && description !== '' && { description: description.slice(0, 500) }),
    appliesTo: ['bpmn:Task', 'bpmn:ServiceTask'],
    elementType: { value: 'bpmn:ServiceTask' },
    groups: [
      { id: 'input', label: 'Input' },
      { id: 'result', label: 'Result' },
    ],
    properties: [
      hidden('platform-service', { type: 'zeebe:taskDefinition', property: 'type' }),
      hidden(service_id, { type: 'zeebe:taskHeader', key: 'serviceId' }),
      ...inputFields(document),
      ...(outputs.length === 0
        ? []
        : [
            {
              type: 'String',
              group: 'result',
              label: 'Result variable',
              description: 'Holds the members of the result that are described.',
              value: 'result',
              constraints: { notEmpty: true },
              binding: {
                type: 'zeebe:output',
                source: `={${outputs.map((one) => `${one}: ${one}`).join(', ')}}`,
              },
            },
          ]),
    ],
  };
}

const hidden = (value: string, binding: object): object => ({ type: 'Hidden', value, binding });

/** A field for each member of the body with which the service is started, the required ones first. */
function inputFields(document: JsonObject): object[] {
  const post = at(document, 'paths', '/', 'post');
  const schema = resolved(document, at(document, post, 'requestBody', 'content', 'application/json', 'schema'));
  const required = member(schema, 'required');
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const fields = membersOf(document, schema).filter(([name]) => name !== '$tags');
  return fields
    .toSorted(([one], [other]) => Number(isRequired(other)) - Number(isRequired(one)))
    .map(([name, inner]) => {
      const { description } = inner;
      const needed = isRequired(name) && name !== '$secrets';
      return {
        type: 'Text',
        group: 'input',
        label: name,
        ...(typeof description === 'string' && { description: description.slice(0, 500) }),
        feel: 'required',
        ...(needed
          ? { value: NAME.test(name) ? `=${name}` : '', constraints: { notEmpty: true } }
          : { optional: true }),
        binding: { type: 'zeebe:input', name },
      };
    });
}

/** Names of the described members of the result that FEEL can read. */
function resultFields(document: JsonObject): string[] {
  const get = at(document, 'paths', '/{id}/result', 'get');
  const answer = resolved(document, at(document, get, 'responses', '200'));
  const schema = resolved(document, at(document, answer, 'content', 'application/json', 'schema'));
  return [schema, ...branchesOf(document, schema)]
    .flatMap((one) => membersOf(document, one).map(([name]) => name))
    .filter((name) => NAME.test(name) && name !== '_links' && name !== '_embedded');
}

/** The schemas that `anyOf` and `allOf` join to this one, without that of a failure. */
function branchesOf(document: JsonObject, schema: Json | undefined): (Json | undefined)[] {
  return ['anyOf', 'allOf'].flatMap((keyword) => {
    const all = member(schema, keyword);
    const own = Array.isArray(all) ? all.filter((one) => member(one, '$ref') !== FAILURE) : [];
    return own.slice(0, MOST_FIELDS).map((one) => resolved(document, one));
  });
}

function membersOf(document: JsonObject, schema: Json | undefined): [string, JsonObject][] {
  const properties = member(schema, 'properties');
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .slice(0, MOST_FIELDS)
    .map(([name, inner]) => {
      const found = resolved(document, inner);
      return [name, isObject(found) ? found : {}];
    });
}

/** The value below these members; undefined where one is missing. Begins at `from`, or with the document itself. */
function at(document: JsonObject, ...path: readonly (Json | undefined)[]): Json | undefined {
  let value: Json | undefined = document;
  for (const step of path) value = typeof step === 'string' ? resolved(document, member(value, step)) : step;
  return value;
}

/** A version as one number: template versions are integers, of which the modeler offers the highest. */
function numberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return Math.min((major * 1_000 + minor) * 1_000 + patch, Number.MAX_SAFE_INTEGER);
}
