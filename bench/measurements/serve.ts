import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Engine } from '@kethub/runtime/containers';
import { importPythonImage } from '@kethub/runtime/testing/python-image';
import { EngineMissing, startContainerEngine, type ContainerEngine } from '../../script/container-engine.ts';
import type { Measurement } from '../lib/measurement.ts';
import { median, mixed } from '../lib/statistics.ts';
import { bundle } from '../../script/package/bundle.ts';
import { root } from '../../script/run.ts';

const ROUNDS = 5;
const RUNS = 15;
/** The other local server, as it is on PyPI. */
const OTHER = 'qhub-serve==1.4.3';
/** Name of the image of the mode `engine`, in an engine that ends with the measurement. */
const IMAGE = 'kethub-bench-python:1';
/** Milliseconds after which a server that does not answer fails the measurement. */
const LONGEST_MS = 120_000;

const PROGRAM = 'def run(data: dict, params: dict) -> dict:\n    return {"sum": sum(data["values"])}\n';

interface Candidate {
  readonly name: string;
  /** The command, with `PORT` in place of the port. */
  readonly command: readonly string[];
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Start to first answer, and POST to SUCCEEDED, of the local development server in each mode beside qhub-serve. */
export async function serve(): Promise<Measurement[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  // The users of sandboxes pass through it.
  chmodSync(folder, 0o755);
  const engine = await engineOrNull();
  try {
    const candidates = await candidatesIn(folder);
    if (engine !== null) candidates.push(await engineCandidate(folder, engine));
    const starts = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
    const runs = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
    for (let round = 0; round < ROUNDS; round++)
      for (const candidate of mixed(candidates)) {
        const { startMs, runMs } = await measure(candidate, path.join(folder, 'service'));
        starts.get(candidate.name)?.push(startMs);
        runs.get(candidate.name)?.push(runMs);
      }
    const how = `${ROUNDS} servers of each in turn, in random order; the median`;
    return candidates.flatMap(({ name }) => [
      measurement(`Local server, start to first answer: ${name}`, starts.get(name) ?? [], how),
      measurement(
        `Local server, POST to SUCCEEDED: ${name}`,
        runs.get(name) ?? [],
        `${how}; of each server the median of ${RUNS} executions, polled each 2 ms`,
      ),
    ]);
  } finally {
    await engine?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function engineOrNull(): Promise<ContainerEngine | null> {
  try {
    return await startContainerEngine();
  } catch (error) {
    if (!(error instanceof EngineMissing)) throw error;
    process.stderr.write(`kethub: ${error.message}\nkethub: the mode engine of ket serve is NOT measured\n`);
    return null;
  }
}

function measurement(name: string, rounds: readonly number[], how: string): Measurement {
  return { name, unit: 'ms', value: median(rounds), goal: null, how, rounds: { rounds } };
}

/** The sandbox belongs to the platform, so that mode runs from the sources; the others from the package for people. */
async function candidatesIn(folder: string): Promise<Candidate[]> {
  const service = path.join(folder, 'service');
  mkdirSync(path.join(service, 'src'), { recursive: true });
  for (const [name, text] of Object.entries({
    'src/program.py': PROGRAM,
    'src/__init__.py': '',
    'requirements.txt': '',
  }))
    writeFileSync(path.join(service, name), text);
  await bundle(path.join(folder, 'ket'));
  const ket = (program: string, mode: string): string[] => [
    ...ketServe(program, service, mode),
    '--python',
    '/usr/bin/python3',
  ];
  const packaged = packagedIn(folder);
  const venv = path.join(folder, 'venv');
  execFileSync('python3', ['-m', 'venv', venv]);
  execFileSync(path.join(venv, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', OTHER]);
  return [
    { name: 'ket serve, sandbox, from the sources', command: ket(path.join(root, 'apps/cli/src/main.ts'), 'sandbox') },
    { name: 'ket serve, namespace', command: ket(packaged, 'namespace') },
    { name: 'ket serve, paths', command: ket(packaged, 'paths') },
    {
      name: OTHER.replace('==', ' '),
      command: [path.join(venv, 'bin/qhub-serve'), '--workspace', service, '--port', 'PORT'],
    },
  ];
}

/** The mode `engine`, with an image made of the Python of this machine, so that every mode runs the same interpreter. */
async function engineCandidate(folder: string, { socket }: ContainerEngine): Promise<Candidate> {
  await importPythonImage(new Engine(socket), IMAGE, path.join(folder, 'image'));
  return {
    name: 'ket serve, engine',
    command: [...ketServe(packagedIn(folder), path.join(folder, 'service'), 'engine'), '--image', IMAGE],
    environment: { DOCKER_HOST: `unix://${socket}` },
  };
}

function packagedIn(folder: string): string {
  return path.join(folder, 'ket/bin/ket.js');
}

function ketServe(program: string, service: string, mode: string): string[] {
  return [process.execPath, program, 'serve', service, '--port', 'PORT', '--mode', mode, '--quiet'];
}

async function measure({ command, environment }: Candidate, cwd: string): Promise<{ startMs: number; runMs: number }> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/`;
  const [program = '', ...args] = command.map((word) => (word === 'PORT' ? String(port) : word));
  const began = performance.now();
  const child = spawn(program, args, { cwd, stdio: 'ignore', detached: true, env: { ...process.env, ...environment } });
  try {
    await firstAnswer(address, child);
    const startMs = performance.now() - began;
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push(await runOnce(address));
    return { startMs, runMs: median(times) };
  } finally {
    const ended = child.exitCode === null ? once(child, 'exit') : Promise.resolve();
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
    await ended;
  }
}

/** Waits for the first answer to a POST, which needs the code to be loaded. */
async function firstAnswer(address: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  while (performance.now() < until && child.exitCode === null) {
    const answer = await post(address).catch(() => null);
    if (answer !== null && answer.status < 300) return;
    await pause(5);
  }
  throw new Error(`${address} does not answer (exit code ${child.exitCode})`);
}

function post(address: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(address, { method: 'POST', headers, body: '{"data": {"values": [1, 2]}, "params": {}}' });
}

async function runOnce(address: string): Promise<number> {
  const began = performance.now();
  const { id } = (await (await post(address)).json()) as { id: string };
  for (;;) {
    // An execution that was just accepted may be unknown for a moment.
    const answer = await fetch(`${address}${id}`);
    const { status } = (await answer.json()) as { status?: string };
    if (status === 'SUCCEEDED') return performance.now() - began;
    if (status === 'FAILED') throw new Error(`An execution of ${address} failed`);
    if (performance.now() - began > LONGEST_MS) throw new Error(`An execution of ${address} does not end`);
    await pause(2);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
