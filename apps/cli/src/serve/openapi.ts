import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspectLocally, BuildError } from '@kethub/runtime/local';
import { readYaml, resolved, type JsonObject } from '@kethub/service-api/specification';
import { stringify } from 'yaml';
import { CliFailure, usageFailure } from '../failures.ts';
import { findProject } from '../project/find.ts';
import { requireManifest } from '../project/manifest.ts';
import { choosePython } from './python.ts';
import { openApiOf } from './serve.ts';
import { environmentOf } from './settings.ts';
import { outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { interruptible } from '../terminal/interrupt.ts';

export interface OpenApiOptions extends CommonOptions {
  readonly output?: string;
  readonly yaml?: boolean;
  readonly check?: string;
  readonly python?: string;
}

/** Addresses in a document that is not yet published anywhere. */
const ADDRESSES = { endpoint: 'http://127.0.0.1:8081', token: 'http://127.0.0.1:8081/token' };

/** Prints, writes or checks the OpenAPI document of a project. */
export async function openApi(shell: Shell, wanted: string | undefined, options: OpenApiOptions): Promise<void> {
  const output = outputOf(shell, options);
  const folder =
    wanted === undefined ? ((await findProject(shell.folder)) ?? shell.folder) : path.resolve(shell.folder, wanted);
  const manifest = await requireManifest(folder);
  if (manifest.workflow !== null || manifest.configuration.runtime === 'DOCKER')
    throw usageFailure(`${folder} has no function run: only services of the Python template have a signature.`);
  const { python, packages } = await choosePython(shell, output, folder, options.python);
  const environment = await environmentOf(shell, folder, manifest.configuration, {});
  const inspection = await interruptible((signal) =>
    inspectLocally({ python, sourceDir: folder, packages, environment }, signal),
  ).catch((error: unknown) => {
    if (error instanceof BuildError) throw new CliFailure('failed', error.code, `${error.title}. ${error.message}`);
    throw error;
  });
  const document = openApiOf(manifest, { inspection }, ADDRESSES);
  if (options.check !== undefined) return check(shell, document, options.check);
  const isYaml = options.yaml === true || /\.ya?ml$/.test(options.output ?? '');
  const text = isYaml ? stringify(document) : `${JSON.stringify(document, null, 2)}\n`;
  if (options.output === undefined) {
    shell.stdout.write(text);
    return;
  }
  await writeFile(path.resolve(shell.folder, options.output), text);
  output.note(`${options.output} is written.`);
  output.result('', { file: options.output });
}

async function check(shell: Shell, document: JsonObject, name: string): Promise<void> {
  const read = readYaml(await readFile(path.resolve(shell.folder, name), 'utf8'));
  if (!read.ok) throw usageFailure(`${name} ${read.errors[0]?.detail ?? 'cannot be read'}.`);
  if (sorted(read.document) === sorted(document)) return;
  const broken = whatBreaks(read.document, document);
  const consequence = broken.length === 0 ? 'Callers go on as before.' : `Callers break: ${broken.join('; ')}.`;
  throw new CliFailure('failed', 'openapi-differs', `${name} differs from the code. ${consequence}`, [
    `ket openapi --output ${name}`,
  ]);
}

/** The changes of the input and the result because of which calls that worked fail. */
export function whatBreaks(before: JsonObject, after: JsonObject): string[] {
  const old = inputOf(before);
  const now = inputOf(after);
  const removed = Object.keys(old.properties).filter((name) => !(name in now.properties));
  const demanded = now.required.filter((name) => !old.required.includes(name));
  const changed = Object.keys(old.properties).filter((name) => {
    const [one, other] = [old.properties[name], now.properties[name]];
    const [was, is] = [typeOf(before, one), typeOf(after, other)];
    return was !== undefined && is !== undefined && was !== is && !(was === 'integer' && is === 'number');
  });
  return [
    ...removed.map((name) => `the input has no ${name} any more`),
    ...demanded.map((name) => `${name} is required now`),
    ...changed.map((name) => `${name} has another type`),
  ];
}

interface Input {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

function inputOf(document: JsonObject): Input {
  const schema = resolved(
    document,
    at(document, ['paths', '/', 'post', 'requestBody', 'content', 'application/json', 'schema']),
  );
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: JsonObject; required?: string[] };
  return { properties, required };
}

function typeOf(document: JsonObject, schema: unknown): unknown {
  return (resolved(document, schema as JsonObject) as { type?: unknown } | undefined)?.type;
}

function at(value: unknown, steps: readonly string[]): JsonObject | undefined {
  const found = steps.reduce<unknown>((one, step) => (one as Record<string, unknown> | undefined)?.[step], value);
  return found as JsonObject | undefined;
}

/** A text that is the same for documents that mean the same, whatever the order of their members. */
function sorted(document: JsonObject): string {
  return JSON.stringify(document, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
