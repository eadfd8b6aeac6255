import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseExact } from '../data/exact-json.ts';
import { snippet, type Call } from './snippets.ts';

const call: Call = {
  origin: 'http://localhost:1',
  serviceId: 'id',
  serviceName: "it's",
  version: '1.0.0',
  organizationId: null,
  input: {
    data: parseExact(`{"n":12345678901234567890,"text":"it's \\"$HOME\\" \\\\ \`x\`"}`),
    $secrets: { apiToken: 'never shown' },
  },
};

test.each(['curl', 'Python', 'JavaScript', 'ket'] as const)(
  'no secret stands in %s, and every digit does',
  (language) => {
    const text = snippet(language, call);
    expect(text).not.toContain('never shown');
    expect(text).toContain('12345678901234567890');
    expect(text).toContain('APITOKEN');
  },
);

test('a shell reads the body of curl as it was meant', () => {
  const program = snippet('curl', call);
  const body = /-d (.*?)\n\n/s.exec(program)?.[1] ?? '';
  const json = /^json\(\).*$/m.exec(program)?.[0] ?? '';
  const secret = 'from "outside"\\,\n\ttwo lines & more';
  const env = { APITOKEN: secret, PATH: '/usr/bin:/bin' };
  const text = execFileSync('/bin/sh', ['-c', `${json}\nprintf %s ${body}`], { env }).toString();
  expect(JSON.parse(text)).toEqual({
    data: { n: Number('12345678901234567890'), text: 'it\'s "$HOME" \\ `x`' },
    $secrets: { apiToken: secret },
  });
});

test('Python reads the body as it was meant', () => {
  const body = /body = (json.loads.*?""")\)/s.exec(snippet('Python', call))?.[1] ?? '';
  const text = execFileSync('/usr/bin/python3', ['-c', `import json; print(json.dumps(${body})))`]).toString();
  expect(text).toContain('12345678901234567890');
  expect(JSON.parse(text)).toMatchObject({ data: { text: 'it\'s "$HOME" \\ `x`' } });
});

test('JavaScript reads the body as it was meant', () => {
  const body = /(let input = .*?)let execution/s.exec(snippet('JavaScript', call))?.[1] ?? '';
  const script = `${body}; process.stdout.write(input)`;
  const text = execFileSync(process.execPath, ['-e', script], { env: { APITOKEN: 'from outside' } }).toString();
  expect(text).toContain('12345678901234567890');
  expect(JSON.parse(text)).toMatchObject({
    data: { text: 'it\'s "$HOME" \\ `x`' },
    $secrets: { apiToken: 'from outside' },
  });
});

test('in an organization every call names it', () => {
  for (const language of ['curl', 'Python', 'JavaScript', 'ket'] as const)
    expect(snippet(language, { ...call, organizationId: 'the-organization' })).toContain('the-organization');
});
