import { createPlatformClient } from '@kethub/client';
import { expect, test } from 'vitest';
import { elementsOf, jsonOf, JsonText, layOut, membersOf, objectOf } from './json.ts';

test.each([
  ['{}', []],
  ['{"a":1}', [['a', '1']]],
  [
    ' { "a" : 1.0 , "b":[1, {"c":2},"," ] } ',
    [
      ['a', '1.0'],
      ['b', '[1, {"c":2},"," ]'],
    ],
  ],
  [
    String.raw`{"a\"}":"x\\","b":"\u007d,"}`,
    [
      ['a"}', String.raw`"x\\"`],
      ['b', String.raw`"\u007d,"`],
    ],
  ],
  [
    '{"a":{"a":{}},"b":"a"}',
    [
      ['a', '{"a":{}}'],
      ['b', '"a"'],
    ],
  ],
  [
    '{"111":5,"000":4}',
    [
      ['111', '5'],
      ['000', '4'],
    ],
  ],
  ['{"a":1,"a":18446744073709551616}', [['a', '18446744073709551616']]],
])('the members of %s', (text, members) => {
  expect([...membersOf(text, 'it')]).toEqual(members);
});

test.each(['[]', '1.0', 'null', '"{}"', '{"a"}', ''])('%s is no object', (text) => {
  expect(() => membersOf(text, 'it')).toThrow(/^it (must hold one JSON object|is not valid JSON)/);
});

test('what is taken apart and put together again is the same', () => {
  const text = '{"b":1e3,"a":[1.0,-0],"c":""}';
  expect(objectOf(membersOf(text, 'it')).text).toBe(text);
});

test.each([
  '{}',
  '[]',
  '{"a":[],"b":{},"c":[{}]}',
  '{"a":{"b":[1,2,[3,"x: {y}, z"]],"c":null},"d":true}',
  String.raw`["\"",{"\\":"é\n"}]`,
  '"text"',
])('%s is laid out like JSON.stringify does it', (text) => {
  expect(layOut(new JsonText(text))).toBe(JSON.stringify(JSON.parse(text), null, 2));
});

test('numbers and order stay when a text is laid out', () => {
  expect(layOut(new JsonText('{"111":1.0,"000":18446744073709551616}'))).toBe(
    '{\n  "111": 1.0,\n  "000": 18446744073709551616\n}',
  );
});

test('an answer of the platform is printed as it was sent, also within other JSON', async () => {
  const text = '{"111":1.0,"000":12345678901234567890}';
  const client = createPlatformClient({
    baseUrl: 'http://platform/api',
    credential: { accessToken: 'ket_pat_x' },
    fetch: () => Promise.resolve(new Response(text)),
  });
  const answer = await client.getWorkflowInstance({ instanceId: 'one' });
  expect(jsonOf(answer).text).toBe(text);
  const whole = { answer, list: [answer, 1], left: undefined, none: null };
  expect(jsonOf(whole).text).toBe(`{"answer":${text},"list":[${text},1],"none":null}`);
});

test.each([
  ['[]', []],
  ['[ ]', []],
  ['[1.0]', ['1.0']],
  [' [ {"a":[1,2]} , [3,{"b":"],"}],"x,y" ]', ['{"a":[1,2]}', '[3,{"b":"],"}]', '"x,y"']],
])('the elements of %s', (text, elements) => {
  expect(elementsOf(text)).toEqual(elements);
});
