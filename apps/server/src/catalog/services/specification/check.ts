import { Validator } from '@seriousme/openapi-schema-validator';
import { extensionErrors } from './check-operations.ts';
import {
  atReference,
  isObject,
  member,
  pointerOf,
  resolved,
  type Json,
  type JsonObject,
  type ValidationError,
} from '@kethub/service-api/specification';

/** Errors that an answer names. Further ones are left out. */
const MOST = 50;
const validator = new Validator({ allErrors: true, validateFormats: false, strict: false });

/** The errors of a document as the API specification of a service; empty when it is valid. */
export async function checkDocument(document: JsonObject): Promise<ValidationError[]> {
  const version = member(document, 'openapi');
  if (typeof version !== 'string' || !/^3\.[01]\.\d{1,3}$/.test(version))
    return [{ pointer: '/openapi', detail: 'must be 3.0.x or 3.1.x' }];
  const references = referenceErrors(document);
  const errors = [
    ...references,
    // The validator follows references, so it runs only when all of them lead somewhere.
    ...(references.length === 0 ? await openApiErrors(document) : []),
    ...extensionErrors(document),
    ...schemaErrors(document),
  ];
  const once = new Map(errors.map((error) => [`${error.pointer} ${error.detail}`, error]));
  return [...once.values()].slice(0, MOST);
}

/**
 * Names of members that refer to other documents. They are refused in examples too, because clients follow them there.
 */
const referring = ['$ref', '$dynamicRef', 'operationRef', 'externalValue', '$id'];

function referenceErrors(document: JsonObject): ValidationError[] {
  const errors: ValidationError[] = [];
  const walk = (node: Json, path: readonly (string | number)[]): void => {
    if (Array.isArray(node)) node.forEach((item, index) => walk(item, [...path, index]));
    if (!isObject(node)) return;
    for (const [name, value] of Object.entries(node)) {
      if (typeof value !== 'string' || !referring.includes(name)) walk(value, [...path, name]);
      else if (!value.startsWith('#') || name === '$id')
        errors.push({ pointer: pointerOf(...path, name), detail: 'refers to something outside of the document' });
      else if (name !== '$dynamicRef' && value !== '#' && atReference(document, value) === undefined)
        errors.push({ pointer: pointerOf(...path, name), detail: `leads nowhere: there is no ${value.slice(0, 200)}` });
    }
  };
  walk(document, []);
  return errors;
}

async function openApiErrors(document: JsonObject): Promise<ValidationError[]> {
  const { valid, errors } = await validator.validate(document);
  if (valid) return [];
  if (!Array.isArray(errors)) return [{ pointer: '', detail: errors ?? 'is no OpenAPI document' }];
  const problems = errors.map((error) => {
    const { missingProperty, additionalProperty, unevaluatedProperty, allowedValues } = error.params as Record<
      string,
      unknown
    >;
    const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
    return {
      keyword: error.keyword,
      pointer: error.instancePath + (typeof name === 'string' ? pointerOf(name) : ''),
      detail: `${error.message ?? 'is invalid'}${Array.isArray(allowedValues) ? `: ${allowedValues.join(', ')}` : ''}`,
    };
  });
  // When all alternatives fail, the errors of `$ref` and of the combination add nothing.
  const specific = problems.filter(
    ({ keyword, pointer }) => !['oneOf', 'anyOf', 'if'].includes(keyword) && !pointer.endsWith('/$ref'),
  );
  return (specific.length > 0 ? specific : problems).map(({ pointer, detail }) => ({ pointer, detail }));
}

const schemas = ['components', 'schemas'];

/** Errors for missing schemas: InputData, InputParams, and ResultResponse with its two members must stay. */
function schemaErrors(document: JsonObject): ValidationError[] {
  const all = member(member(document, 'components'), 'schemas');
  const errors: ValidationError[] = [];
  for (const name of ['InputData', 'InputParams', 'ResultResponse']) {
    const there = resolved(document, member(all, name));
    if (!isObject(there) && there !== true)
      errors.push({ pointer: pointerOf(...schemas, name), detail: 'must stay: every service has this schema' });
  }
  const result = member(all, 'ResultResponse');
  if (!isObject(result)) return errors;
  const parts = [...schemas, 'ResultResponse', 'properties'];
  for (const name of ['_links', '_embedded']) {
    const found = memberSchema(document, result, name);
    if (found === undefined)
      errors.push({ pointer: pointerOf(...parts, name), detail: 'must stay: every result has this member' });
    else if (!describesObject(found)) errors.push({ pointer: pointerOf(...parts, name), detail: 'must be an object' });
    else if (name === '_embedded' && memberSchema(document, found, 'status') === undefined)
      errors.push({
        pointer: pointerOf(...parts, name, 'properties', 'status'),
        detail: 'must stay: the status object',
      });
  }
  return errors;
}

/** The schema of a member, declared by the schema itself or by one of its `allOf`. */
function memberSchema(document: JsonObject, schema: Json, name: string, seen = new Set<Json>()): Json | undefined {
  const at = resolved(document, schema);
  if (!isObject(at) || seen.has(at)) return undefined;
  seen.add(at);
  const own = member(member(at, 'properties'), name);
  if (own !== undefined) return resolved(document, own);
  const parts = member(at, 'allOf');
  if (!Array.isArray(parts)) return undefined;
  for (const part of parts) {
    const found = memberSchema(document, part, name, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

function describesObject(schema: Json): boolean {
  if (!isObject(schema)) return false;
  const type = member(schema, 'type');
  if (type === undefined) return ['properties', 'allOf', 'additionalProperties'].some((name) => name in schema);
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}
