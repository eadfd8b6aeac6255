import { describe, expect, test } from 'vitest';
import { BuildError } from './problem.ts';
import { readReport } from './report.ts';

const reportOf = (parameter: string, more = ''): string => `{"interface": {"parameters": [${parameter}]${more}}}`;

describe('the report of an inspection, which the program may have written', () => {
  test('is read when it is one', () => {
    const parameter =
      '{"name":"data","kind":"data","required":true,"annotation":"int","description":"How often.","schema":{"type":"integer"},"accepts":"STRICT"}';
    expect(readReport(`${reportOf(parameter, ', "resultSchema": {}')}\n`)).toEqual({
      parameters: [
        {
          name: 'data',
          kind: 'data',
          required: true,
          annotation: 'int',
          description: 'How often.',
          schema: { type: 'integer' },
          accepts: 'STRICT',
        },
      ],
      result: {},
      modules: null,
    });
    expect(readReport('')).toBeNull();
    expect(readReport('[1]')).toBeNull();
    expect(readReport('{"interface": ')).toBeNull();
  });

  test.each([
    ['no object', '[1]'],
    ['a reference to elsewhere', '{"items":{"$ref":"https://example.org/schema"}}'],
    ['a reference to a file', '{"anyOf":[{"$ref":"file:///etc/passwd"}]}'],
  ])('has no schema where there is %s', (_what, schema) => {
    const read = readReport(reportOf(`{"name":"data","schema":${schema}}`, `, "resultSchema": ${schema}`));
    expect(read).toMatchObject({ result: null, parameters: [{ name: 'data', schema: null }] });
  });

  test.each([
    ['deep', reportOf(`{"name":"a","schema":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)],
    ['of very many parts', reportOf(`{"name":"a","schema":[${'{},'.repeat(30_000)}{}]}`)],
    ['long', reportOf(`{"name":"${'a'.repeat(3 * 2 ** 20)}"}`)],
    ['of a name that is no text', reportOf('{"name":{"toString":1}}')],
    ['of a name that Python cannot have', reportOf('{"name":"../data"}')],
    ['of one name twice', reportOf('{"name":"data"},{"name":"data"}')],
    ['of a name that is long', reportOf(`{"name":"${'a'.repeat(300)}"}`)],
    ['of very many parameters', reportOf(Array.from({ length: 1_001 }, () => '{"name":"a"}').join())],
    ['without parameters', '{"interface":{"parameters":{"length":1}}}'],
    ['of a problem that is none', '{"problem":{"code":{"toString":1},"detail":{"toString":null},"title":[]}}'],
    ['of an interface that is none', '{"interface":[]}'],
  ])('is refused with a clear problem: %s', (_what, report) => {
    expect(() => readReport(report)).toThrow(BuildError);
  });
});
