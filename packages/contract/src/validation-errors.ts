import { sentenceOfPattern } from './patterns.ts';
/** An error of ajv, the validator of JSON Schema. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON Pointer (RFC 6901). */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
}

/** An error in a request: a pointer, and the end of a sentence that begins with the name of the member. */
export interface ValidationError {
  /** JSON Pointer (RFC 6901), empty for the whole. */
  readonly pointer: string;
  readonly detail: string;
}

const NUMBERS: Readonly<Record<string, readonly [before: string, one: string, many: string]>> = {
  minLength: ['must have at least', 'character', 'characters'],
  maxLength: ['may have at most', 'character', 'characters'],
  minItems: ['must have at least', 'element', 'elements'],
  maxItems: ['may have at most', 'element', 'elements'],
  minProperties: ['must have at least', 'member', 'members'],
  maxProperties: ['may have at most', 'member', 'members'],
};
const COMPARISONS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
};
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  'date-time': 'a date with time and zone (RFC 3339), such as 2027-01-31T12:00:00Z',
  date: 'a date such as 2027-01-31',
  time: 'a time such as 12:00:00Z',
  email: 'an e-mail address',
  uri: 'an absolute address, such as https://example.org/',
};
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};
const VALUES_CHARACTERS = 1_000;

/** Turns an error of ajv into pointer and detail. */
export function validationErrorOf(error: SchemaError): ValidationError {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = error.params;
  const member = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName;
  const name = typeof member === 'string' ? `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
  return { pointer: error.instancePath + name, detail: detailOf(error) };
}

/**
 * Sentences such as "`name` is missing. `type` must be one of: …". `whole` is the subject of errors without a
 * pointer.
 */
export function invalidSentence(errors: readonly ValidationError[], whole: string): string {
  return errors.map(({ pointer, detail }) => `${pointer ? `\`${pointer.slice(1)}\`` : whole} ${detail}.`).join(' ');
}

function detailOf({ keyword, params, message = 'is not valid' }: SchemaError): string {
  const { limit } = params;
  const counted = NUMBERS[keyword];
  if (counted) {
    const [before, one, many] = counted;
    if (limit === 1 && before.startsWith('must')) return 'must not be empty';
    return `${before} ${String(limit)} ${limit === 1 ? one : many}`;
  }
  const comparison = COMPARISONS[keyword];
  if (comparison) return `must be ${comparison} ${String(limit)}`;
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return 'is missing';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not expected here';
    case 'propertyNames':
      return 'is not a name that is allowed here';
    case 'enum':
      return `must be one of: ${valuesOf(params['allowedValues'])}`;
    case 'const':
      return `must be ${valuesOf([params['allowedValue']])}`;
    case 'type':
      return `must be ${[params['type']]
        .flat()
        .map((type) => TYPES[String(type)] ?? String(type))
        .join(' or ')}`;
    case 'format':
      return `must be ${FORMATS[String(params['format'])] ?? `of the format ${String(params['format'])}`}`;
    case 'pattern':
      return sentenceOfPattern(String(params['pattern'])) ?? `must match the pattern ${String(params['pattern'])}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'uniqueItems':
      return 'must not have an element twice';
    case 'anyOf':
    case 'oneOf':
      return 'has none of the forms that are allowed here';
    default:
      return message.replace('NOT', 'not');
  }
}

function valuesOf(values: unknown): string {
  const text = (Array.isArray(values) ? values : []).map((one) => JSON.stringify(one)).join(', ');
  return text.length > VALUES_CHARACTERS ? `${text.slice(0, VALUES_CHARACTERS)}…` : text;
}
