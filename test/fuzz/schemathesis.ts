import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { amounts } from '@kethub/server/testing/amounts';

/** A longer run: KETHUB_FUZZ_EXAMPLES=200. Another one: KETHUB_FUZZ_SEED=$RANDOM. */
const examples = Number(process.env['KETHUB_FUZZ_EXAMPLES'] ?? amounts.requestsOfOperations);
const seed = Number(process.env['KETHUB_FUZZ_SEED'] ?? 1);

/** The folder of Schemathesis (script/python-packages.ts); undefined on a machine that cannot have it. */
export const installed = process.env['KETHUB_TEST_SCHEMATHESIS'];

export interface Fuzzing {
  /** Address of the interface; its description is at openapi.json below it. */
  readonly address: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Known values of path parameters, by name. Every other request uses one of them. */
  readonly known: Readonly<Record<string, readonly (string | number)[]>>;
  /** Only these operations. Default: all. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** The phases of Schemathesis, in order (default: all). */
  readonly phases?: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[];
  /** The most generated requests to each operation (default: KETHUB_FUZZ_EXAMPLES). */
  readonly requests?: number;
}

/** Number of answers by operation (`METHOD /path`) and status. */
export type Exercised = Map<string, Map<number, number>>;

interface Fuzzed {
  readonly passed: boolean;
  /** The report of every failure, with the curl line that repeats it. */
  readonly report: string;
  readonly exercised: Exercised;
}

/** Runs Schemathesis against an interface. Its own settings are in schemathesis.toml. */
export async function fuzz(fuzzing: Fuzzing, signal: AbortSignal): Promise<Fuzzed> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-fuzz-'));
  try {
    const settings = await readFile(path.join(import.meta.dirname, 'schemathesis.toml'), 'utf8');
    await writeFile(path.join(folder, 'schemathesis.toml'), settings + ofThisRun(fuzzing));
    const events = path.join(folder, 'events.ndjson');
    const options = [
      '--config-file=schemathesis.toml',
      'run',
      `${fuzzing.address}/openapi.json`,
      `--seed=${seed}`,
      `--max-examples=${Math.min(examples, fuzzing.requests ?? examples)}`,
      '--report=ndjson',
      `--report-ndjson-path=${events}`,
      ...(fuzzing.phases ? [`--phases=${fuzzing.phases.join()}`] : []),
      ...(fuzzing.only ?? []).map((id) => `--include-operation-id=${id}`),
      ...(fuzzing.except ?? []).map((id) => `--exclude-operation-id=${id}`),
    ];
    const run = spawn('/usr/bin/python3', ['-m', 'schemathesis.cli', ...options], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        PYTHONPATH: installed,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: path.join(import.meta.dirname, 'hooks.py'),
        NO_COLOR: '1',
        COLUMNS: '120',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    const [output, errors, [status]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')]);
    if (!existsSync(events)) throw new Error(`Schemathesis did not get to work:\n${output}${errors}`);
    return { passed: status === 0, report: reportOf(output + errors), exercised: await exercisedBy(events) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The last part of the settings: tables of credentials and known values, in TOML, whose strings are those of JSON. */
function ofThisRun({ headers, known }: Fuzzing): string {
  const line = (name: string, value: string): string => `${JSON.stringify(name)} = ${value}`;
  return [
    '',
    '[headers]',
    ...Object.entries(headers).map(([name, value]) => line(name, JSON.stringify(value))),
    ...Object.entries(known).flatMap(([name, values]) => [
      `[dictionaries.${name}]`,
      line('values', JSON.stringify(values)),
    ]),
    '[parameters]',
    ...Object.keys(known).map((name) => line(`path.${name}`, `{ dictionary = "${name}", probability = 0.5 }`)),
  ].join('\n');
}

/** The output from the failures on, or all of it when there is no list of failures. */
function reportOf(output: string): string {
  const start = output.search(/^=+ (ERRORS|FAILURES) =+$/m);
  return start < 0 ? output : output.slice(start);
}

interface ScenarioFinished {
  readonly recorder: {
    readonly cases?: Readonly<Record<string, { readonly value: { readonly method: string; readonly path: string } }>>;
    readonly interactions?: Readonly<Record<string, { readonly response?: { readonly status_code: number } | null }>>;
  };
}

async function exercisedBy(events: string): Promise<Exercised> {
  const exercised: Exercised = new Map();
  for await (const line of createInterface({ input: createReadStream(events) })) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as { ScenarioFinished?: ScenarioFinished };
    const { cases = {}, interactions = {} } = scenario?.recorder ?? {};
    for (const [id, { value }] of Object.entries(cases)) {
      const status = interactions[id]?.response?.status_code;
      if (status !== undefined) count(exercised, `${value.method.toUpperCase()} ${value.path}`, status, 1);
    }
  }
  return exercised;
}

function count(exercised: Exercised, operation: string, status: number, by: number): void {
  const statuses = exercised.get(operation) ?? new Map<number, number>();
  exercised.set(operation, statuses.set(status, (statuses.get(status) ?? 0) + by));
}

/** All of them together. */
export function total(of: readonly Exercised[]): Exercised {
  const all: Exercised = new Map();
  for (const [operation, statuses] of of.flatMap((one) => [...one]))
    for (const [status, by] of statuses) count(all, operation, status, by);
  return all;
}
