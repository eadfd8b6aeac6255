import { stat } from 'node:fs/promises';
import path from 'node:path';
import { defaultConfiguration, type LogEntry } from '@kethub/contract';
import {
  documentOf,
  fromSignature,
  installed,
  unknownSignature,
  type JsonObject,
} from '@kethub/service-api/specification';
import { usageFailure } from '../failures.ts';
import { readInput, readSecrets } from '../input.ts';
import type { Manifest } from '../project/manifest-content.ts';
import { readManifest } from '../project/manifest.ts';
import type { Shell } from '../shell.ts';
import type { Output } from '../terminal/output.ts';
import { LocalExecutions, type LocalExecution } from './executions.ts';
import { openMode } from './mode.ts';
import type { ServeMode } from './modes.ts';
import { Operations } from './operations.ts';
import { pageAnswer } from './page.ts';
import { LocalServer } from './server.ts';
import { ServedService, type LoadedService } from './service.ts';
import {
  environmentOf,
  limitsOf,
  lockState,
  poolFor,
  requirePoolParameters,
  requirePools,
  secretsOf,
  stateFolder,
  type ValueOptions,
} from './settings.ts';

export interface ServeOptions extends ValueOptions {
  readonly port?: number;
  readonly host?: string;
  readonly allowRemote?: boolean;
  readonly cors?: string;
  readonly strict?: boolean;
  readonly mode?: ServeMode;
  readonly python?: string;
  readonly image?: string;
  readonly network?: string;
  readonly secret?: readonly string[];
  readonly debug?: number;
  readonly quiet?: boolean;
  readonly atOnce?: number;
  /** Default `serve`. */
  readonly state?: 'serve' | 'test';
}

/** A running local development server. */
export interface Served {
  readonly url: string;
  readonly mode: ServeMode;
  /** Meaning of the mode, and the reason why no better one was chosen. */
  readonly about: string;
  /** The interpreter or image, for the first line. */
  readonly environment: string;
  readonly service: ServedService;
  readonly executions: LocalExecutions;
  /** Loads the code. Throws for options that do not fit its parameters. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The usual port. When a platform runs on this machine it is taken, and the next free one is used. */
const PORT = 8081;
/** Executions that run at the same time, unless something else is asked for. */
const AT_ONCE = 4;

/** Serves a project on this machine until it is closed. Throws for a folder that is no service in Python. */
export async function serveFolder(
  shell: Shell,
  output: Output,
  folder: string,
  options: ServeOptions,
): Promise<Served> {
  if (!(await stat(folder)).isDirectory()) throw usageFailure(`${folder} is not a folder.`);
  const manifest = (await readManifest(folder)) ?? plain(folder);
  requireServable(manifest, folder);
  const { host = '127.0.0.1', allowRemote = false } = options;
  if (!allowRemote && host !== '127.0.0.1' && host !== 'localhost' && host !== '::1')
    throw usageFailure(`Other machines could run code here through ${host}. Say so with --allow-remote.`);
  const state = stateFolder(shell, folder, options.state ?? 'serve');
  const endings: (() => unknown)[] = [lockState(state)];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await open({ shell, output, folder, options, manifest, host, allowRemote, state, endings })), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Opening {
  readonly shell: Shell;
  readonly output: Output;
  readonly folder: string;
  readonly options: ServeOptions;
  readonly manifest: Manifest;
  readonly host: string;
  readonly allowRemote: boolean;
  /** Folder of the state of this project. */
  readonly state: string;
  /** Takes a function for everything that is opened, which closes it. They are called from the last to the first. */
  readonly endings: (() => unknown)[];
}

async function open(opening: Opening): Promise<Omit<Served, 'close'>> {
  const { shell, output, folder, options, manifest, host, allowRemote, state, endings } = opening;
  const given = await readSecrets(shell, options.secret ?? [], options.state === 'test' ? 'ket test' : 'ket serve');
  requirePools(shell, options);
  const environment = () => environmentOf(shell, folder, manifest.configuration, options);
  // A file that was named is refused at the start. A fault in .env is one of the project, which can be mended meanwhile.
  if (options.envFile !== undefined) await environment();
  const opened = await openMode({
    asked: options.mode ?? null,
    shell,
    output,
    folder,
    state,
    isImage: (manifest.configuration.runtime ?? defaultConfiguration.runtime) === 'DOCKER',
    python: options.python,
    image: options.image,
    network: options.network,
    hasHosts: (manifest.configuration.hosts ?? []).length > 0,
    debugPort: options.debug ?? null,
  });
  const { runtime, mode, about } = opened;
  const atOnce = options.debug === undefined ? (options.atOnce ?? AT_ONCE) : 1;
  const executions = new LocalExecutions(runtime, path.join(state, 'index'), atOnce);
  endings.push(() => executions.close());
  await executions.load();
  const limits = limitsOf(manifest.configuration, options.debug !== undefined);
  const service = new ServedService({
    folder,
    sources: path.join(state, 'runtime/sources'),
    withoutSnapshot: options.debug !== undefined,
    output,
    load: opened.load,
    environment,
    loaded: (loaded) =>
      void environment().then((variables) => runtime.prewarm({ code: loaded.code, environment: variables, limits })),
    inUse: () => executions.sources,
  });
  const operations = new Operations({
    service,
    executions,
    strict: options.strict === true,
    limits,
    hosts: manifest.configuration.hosts ?? [],
    environment,
    secrets: async () => ({ ...(await secretsOf(folder)), ...given }),
    dataPool: (parameter) => poolFor(shell, folder, parameter, options),
  });
  const example = () =>
    readInput(shell, {}, folder).then(
      ({ text }) => text,
      () => '{"data": {}, "params": {}}',
    );
  const page = () => pageAnswer();
  const server = new LocalServer({
    operations,
    documents: {
      '': page,
      docs: page,
      'openapi.json': async ({ address }) => ({
        status: 200,
        body: openApiOf(manifest, await service.require(), {
          endpoint: address,
          token: `${new URL(address).origin}/token`,
        }),
      }),
      'serve.json': async () => ({
        status: 200,
        headers: { 'cache-control': 'no-store' },
        body: {
          name: manifest.name,
          mode,
          about,
          environment: opened.environment,
          problem: service.problem,
          parameters: service.latest === null ? [] : (service.latest.inspection?.parameters ?? null),
          description: service.latest?.inspection?.description ?? null,
          unlisted: service.latest?.inspection?.unlisted ?? [],
          example: await example(),
        },
      }),
    },
    host,
    allowRemote,
    cors: options.cors ?? null,
    note: (line) => {
      output.note(line);
    },
  });
  endings.push(
    () => server.close(),
    () => service.close(),
  );
  if (options.quiet !== true) showLogs(output, executions);
  const port = await server.listen(options.port ?? PORT, options.port !== undefined);
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  return {
    url,
    mode,
    about,
    environment: opened.environment,
    service,
    executions,
    async start() {
      await service.start();
      requirePoolParameters(shell, options, service.latest?.inspection?.parameters);
    },
  };
}

function plain(folder: string): Manifest {
  return {
    name: path.basename(folder),
    description: '',
    configuration: {},
    workflow: null,
    services: {},
    notes: [],
  };
}

function requireServable({ workflow }: Manifest, folder: string): void {
  if (workflow !== null)
    throw usageFailure(`${folder} is a workflow, which only a platform runs.`, 'ket up', 'ket run');
}

/** The OpenAPI document of a service, derived from the signature of `run`. */
export function openApiOf(
  { name, description }: Pick<Manifest, 'name' | 'description'>,
  { inspection }: Pick<LoadedService, 'inspection'>,
  addresses: { readonly endpoint: string; readonly token: string },
): JsonObject {
  const derived = (inspection && fromSignature(inspection)) ?? unknownSignature;
  const version = '0.0.0';
  const document = documentOf({ title: name, version, description, ...derived });
  return installed(document, { endpoint: addresses.endpoint, tokenEndpoint: addresses.token, version });
}

/** Shows statuses and log lines of executions, with the end of their ids. */
function showLogs(output: Output, executions: LocalExecutions): void {
  const positions = new Map<string, number>();
  const seen = new Map<string, string>();
  const show = async ({ id, status, cause }: LocalExecution): Promise<void> => {
    const short = output.style.bold(id.slice(-6));
    for (;;) {
      const { bytes, nextByte } = await executions.readLog(id, positions.get(id) ?? 0);
      if (bytes.length === 0 || (positions.get(id) ?? 0) >= nextByte) break;
      positions.set(id, nextByte);
      for (const line of bytes.toString('utf8').trimEnd().split('\n')) {
        const entry = JSON.parse(line) as LogEntry;
        output.log({ ...entry, message: `${short} ${entry.message.replaceAll('/app/src/', 'src/')}` });
      }
    }
    if (seen.get(id) === status) return;
    seen.set(id, status);
    if (status === 'SUCCEEDED') output.note(`${short} ${output.style.green(status)}`);
    else if (cause !== null) output.note(`${short} ${output.style.red(status)} ${cause.title}: ${cause.detail}`);
  };
  executions.changes.on('any', (execution: LocalExecution) => void show(execution));
  executions.changes.on('grown', (execution: LocalExecution) => void show(execution));
}
