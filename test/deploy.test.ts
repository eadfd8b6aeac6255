import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../script/run.ts';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Realm extends Record<string, unknown> {
  readonly clients: readonly Record<string, unknown>[];
}

test('the realm of the compose file is the one that tests use, but for addresses, secret, mail and TLS', () => {
  const used = JSON.parse(read('script/keycloak/realm.json')) as Realm;
  const composed = JSON.parse(read('deploy/compose/realm.json').replaceAll('${REALM_URL}', 'http://localhost:8080')) as Realm; // prettier-ignore
  const { smtpServer, ...others } = composed;
  expect(Object.keys(smtpServer as object)).toContain('host');
  const secret = '${REALM_CLIENT_SECRET}';
  const clients = used.clients.map((one) => (one['clientId'] === 'kethub-admin' ? { ...one, secret } : one));
  expect(others).toEqual({ ...used, sslRequired: 'none', clients });
});

test('every variable of the compose file is in env.example or on the page of settings, and the realm gets all of its own', () => {
  const file = read('deploy/compose/compose.yaml');
  const variables = new Set([...file.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name));
  const example = read('deploy/compose/env.example');
  const page = read('docs/configuration.md');
  expect([...variables].filter((name) => !example.includes(`${name}=`) && !page.includes(`\`${name}\``))).toEqual([]);
  expect([...example.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name).filter((name) => !variables.has(name))).toEqual([]); // prettier-ignore
  const asked = [...read('deploy/compose/realm.json').matchAll(/\$\{(REALM_\w+)\}/g)].map(([, name = '']) => name);
  expect(asked.filter((name) => !file.includes(`      ${name}: `))).toEqual([]);
});

test('the values of the chart satisfy their schema, which describes no other ones', () => {
  interface Described {
    readonly properties?: Readonly<Record<string, Described>>;
  }
  const schema = JSON.parse(read('deploy/helm/kethub/values.schema.json')) as Described;
  const values = parse(read('deploy/helm/kethub/values.yaml')) as Record<string, unknown>;
  const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(schema);
  validate(values);
  expect(validate.errors ?? []).toEqual([]);
  const missing = ({ properties = {} }: Described, value: object, at: string): string[] =>
    Object.entries(properties).flatMap(([name, one]) => {
      const inner: unknown = Reflect.get(value, name);
      if (inner === undefined) return [`${at}${name}`];
      return typeof inner === 'object' && inner !== null ? missing(one, inner, `${at}${name}.`) : [];
    });
  // Helm knows values that are global to a chart and those beneath it.
  expect(missing(schema, values, '')).toEqual(['global']);
  expect(validate({ ...values, wroker: {} })).toBe(false);
});

test('an upgrade of the chart that has failed can be repeated: the next job of the migration replaces its own', () => {
  const job = read('deploy/helm/kethub/templates/migrate.yaml');
  expect(job).toMatch(/^ {4}helm\.sh\/hook: pre-install,pre-upgrade$/m);
  expect(job).toMatch(/^ {4}helm\.sh\/hook-delete-policy: before-hook-creation,hook-succeeded$/m);
  // Nothing that the release makes is there at the first installation.
  expect(job).not.toMatch(/configMap|serviceAccountName|persistentVolumeClaim/);
  // With OrderedReady, a pod of workers that never gets ready would be replaced by hand only.
  expect(read('deploy/helm/kethub/templates/statefulsets.yaml')).toMatch(/^ {2}podManagementPolicy: Parallel$/m);
});

test('every value for jobs in the chart is used, and every setting that the chart makes is on the page of settings', () => {
  const folder = 'deploy/helm/kethub/templates';
  const templates = readdirSync(path.join(root, folder))
    .map((name) => read(`${folder}/${name}`))
    .join('');
  const page = read('docs/configuration.md');
  const settings = [...templates.matchAll(/name: (KETHUB_\w+)/g)].map(([, name = '']) => name);
  expect(settings).toContain('KETHUB_KUBERNETES_WARM_PODS');
  expect(settings.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const { jobs } = parse(read('deploy/helm/kethub/values.yaml')) as { jobs: object };
  const isUsed = (name: string): boolean => new RegExp(`\\.Values\\.jobs\\.${name}\\b`).test(templates);
  expect(Object.keys(jobs).filter((name) => !isUsed(name))).toEqual([]);
});
