import {
  isObject,
  member,
  membersOf,
  pointerOf,
  resolved,
  type Json,
  type JsonObject,
  type ValidationError,
} from '@kethub/service-api/specification';
import { operationsOf } from '@kethub/service-api/specification';

const template = operationsOf({});
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Members of an operation or a path that change its address or its authorization. */
const installed = ['servers', 'security', 'callbacks'];

/** Errors for all operations of a document that differ from those of every service. */
export function extensionErrors(document: JsonObject): ValidationError[] {
  const errors: ValidationError[] = [];
  if ('webhooks' in document) errors.push({ pointer: '/webhooks', detail: 'a service has no webhooks' });
  const paths = member(document, 'paths');
  for (const [path, item] of membersOf(paths)) {
    if (path.startsWith('x-')) continue;
    const known = Object.hasOwn(template, path) ? template[path] : undefined;
    if (known) errors.push(...pathErrors(document, path, item, known));
    else
      errors.push({
        pointer: pointerOf('paths', path),
        detail: 'is no path of a service: the operations must not be extended',
      });
  }
  for (const [path, item] of Object.entries(template))
    for (const method of Object.keys(item))
      if (member(member(paths, path), method) === undefined)
        errors.push({
          pointer: pointerOf('paths', path, method),
          detail: 'must stay: every service has this operation',
        });
  return errors;
}

function pathErrors(
  document: JsonObject,
  path: string,
  item: Json,
  known: Readonly<Record<string, JsonObject>>,
): ValidationError[] {
  const at = ['paths', path];
  if (!isObject(item)) return [{ pointer: pointerOf(...at), detail: 'must be an object' }];
  const errors = ['$ref', ...installed]
    .filter((name) => name in item)
    .map((name) => ({ pointer: pointerOf(...at, name), detail: 'must not be here: the platform decides it' }));
  for (const method of methods) {
    const operation = item[method];
    if (operation === undefined) continue;
    const expected = known[method];
    if (!expected)
      errors.push({
        pointer: pointerOf(...at, method),
        detail: 'is no operation of a service: they must not be extended',
      });
    else errors.push(...operationErrors(document, [...at, method], operation, expected, item['parameters']));
  }
  return errors;
}

function operationErrors(
  document: JsonObject,
  at: readonly string[],
  operation: Json,
  expected: JsonObject,
  shared: Json | undefined,
): ValidationError[] {
  if (!isObject(operation)) return [{ pointer: pointerOf(...at), detail: 'must be an object' }];
  return [
    ...installed
      .filter((name) => name in operation)
      .map((name) => ({ pointer: pointerOf(...at, name), detail: 'must not be here: the platform decides it' })),
    ...parameterErrors(document, at, [operation['parameters'], shared], expected),
    ...bodyErrors(document, at, operation, expected),
    ...responseErrors(document, at, operation, expected),
  ];
}

function parameterErrors(
  document: JsonObject,
  at: readonly string[],
  [own, shared]: readonly [Json | undefined, Json | undefined],
  expected: JsonObject,
): ValidationError[] {
  const known = listOf(expected['parameters']);
  const errors: ValidationError[] = [];
  const found = [
    ...listOf(own).map((one, index) => ({ one, pointer: pointerOf(...at, 'parameters', index) })),
    ...listOf(shared).map((one, index) => ({ one, pointer: pointerOf(...at.slice(0, -1), 'parameters', index) })),
  ].map(({ one, pointer }) => ({ pointer, name: nameOf(resolved(document, one)) }));
  const allowed = new Set(known.map(nameOf));
  // A parameter that is declared for a whole path may belong to another of its operations.
  const elsewhere = new Set(
    Object.values(template[at[1] ?? ''] ?? {}).flatMap((one) => listOf(one['parameters']).map(nameOf)),
  );
  for (const { name, pointer } of found)
    if (!allowed.has(name) && !elsewhere.has(name))
      errors.push({ pointer, detail: 'is no parameter of this operation: the operations must not be extended' });
  for (const one of known.filter((parameter) => member(parameter, 'in') === 'path'))
    if (!found.some(({ name }) => name === nameOf(one)))
      errors.push({
        pointer: pointerOf(...at, 'parameters'),
        detail: `must declare {${textOf(one, 'name')}} of the path`,
      });
  return errors;
}

function bodyErrors(
  document: JsonObject,
  at: readonly string[],
  operation: JsonObject,
  expected: JsonObject,
): ValidationError[] {
  const parts = [...at, 'requestBody'];
  const body = resolved(document, operation['requestBody']);
  if (!('requestBody' in expected))
    return body === undefined ? [] : [{ pointer: pointerOf(...parts), detail: 'this operation takes no body' }];
  const content = member(body, 'content');
  const errors = membersOf(content)
    .filter(([media]) => media !== 'application/json')
    .map(([media]) => ({ pointer: pointerOf(...parts, 'content', media), detail: 'the input is application/json' }));
  const schema = member(member(content, 'application/json'), 'schema');
  if (schema === undefined)
    return [...errors, { pointer: pointerOf(...parts, 'content', 'application/json', 'schema'), detail: 'must stay' }];
  const properties = member(resolved(document, schema), 'properties');
  for (const [name, target] of [
    ['data', 'InputData'],
    ['params', 'InputParams'],
  ] as const) {
    const one = member(properties, name);
    const reference = `#/components/schemas/${target}`;
    if (one !== undefined && member(one, '$ref') !== reference)
      errors.push({
        pointer: pointerOf(...parts, 'content', 'application/json', 'schema', 'properties', name),
        detail: `must be {"$ref": "${reference}"}`,
      });
  }
  return errors;
}

function responseErrors(
  document: JsonObject,
  at: readonly string[],
  operation: JsonObject,
  expected: JsonObject,
): ValidationError[] {
  const errors: ValidationError[] = [];
  const parts = [...at, 'responses'];
  const [success = ''] = membersOf(expected['responses']).map(([status]) => status);
  for (const [status] of membersOf(operation['responses']))
    if (/^[12]/.test(status) && status !== success)
      errors.push({
        pointer: pointerOf(...parts, status),
        detail: `the operation answers ${success}: it must not be changed`,
      });
  const response = resolved(document, member(operation['responses'], success));
  if (response === undefined) return [...errors, { pointer: pointerOf(...parts, success), detail: 'must stay' }];
  const content = member(response, 'content');
  const known = membersOf(member(member(expected['responses'], success), 'content'));
  for (const [media] of membersOf(content))
    if (!known.some(([one]) => one === media))
      errors.push({
        pointer: pointerOf(...parts, success, 'content', media),
        detail: 'is no media type of this operation',
      });
  const [first, media] = known[0] ?? ['', null];
  if (member(content, first) === undefined)
    errors.push({ pointer: pointerOf(...parts, success, 'content', first), detail: 'must stay' });
  const reference = member(member(media, 'schema'), '$ref');
  if (reference !== '#/components/schemas/ResultResponse') return errors;
  const schema = [...parts, success, 'content', first, 'schema'];
  if (member(member(member(content, first), 'schema'), '$ref') !== reference)
    errors.push({ pointer: pointerOf(...schema), detail: `must be {"$ref": "${reference}"}` });
  return errors;
}

/** The identity of a parameter: its location and name. Names of headers are compared without case. */
function nameOf(one: Json | undefined): string {
  const where = textOf(one, 'in');
  const name = textOf(one, 'name');
  return `${where} ${where === 'header' ? name.toLowerCase() : name}`;
}

function textOf(one: Json | undefined, name: string): string {
  const value = member(one, name);
  return typeof value === 'string' ? value : '';
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
