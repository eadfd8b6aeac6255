import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { callerOf } from '@kethub/server/testing/gateway';
import { BUSYBOX } from '@kethub/runtime/containers';
import { Container } from '@kethub/runtime/containers';
import { describeContainer, LABELS, USER, type ImageConfig } from '@kethub/runtime/containers';
import { Engine } from '@kethub/runtime/containers';
import { handover } from '@kethub/runtime/containers';
import { seccompProfile } from '@kethub/runtime/containers';
import { shellImage } from '@kethub/runtime/testing/images';
import { EngineMissing, startContainerEngine, type ContainerEngine } from '../../script/container-engine.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const ROUNDS = 25;
const MB = 2 ** 20;
const limits = {
  memoryBytes: 128 * MB,
  cpus: 1,
  processes: 128,
  tmpBytes: 256 * MB,
  fileBytes: 2048 * MB,
  logBytes: 10 * MB,
  resultBytes: 64 * MB,
  outputBytes: 2048 * MB,
  outputFiles: 1_000,
  runTimeMs: 60_000,
};

/** From POST to SUCCEEDED in a container, against the same container created, fed, started and awaited by hand. */
export async function containers(): Promise<Measurement[]> {
  let engine: ContainerEngine;
  try {
    engine = await startContainerEngine();
  } catch (error) {
    if (!(error instanceof EngineMissing)) throw error;
    process.stderr.write(`kethub: ${error.message}\nkethub: containers are NOT measured\n`);
    return [];
  }
  try {
    return await measure(new Engine(engine.socket));
  } finally {
    await engine.stop();
  }
}

async function measure(engine: Engine): Promise<Measurement[]> {
  const base = await shellImage(engine);
  const program = 'echo "{}" > /var/runtime/output/output.json';
  const files = { Dockerfile: `FROM ${base}\nCMD ["/bin/sh", "-c", ${JSON.stringify(program)}]\n` };
  const upload = { configuration: { runtime: 'DOCKER' as const, memoryGb: limits.memoryBytes / 2 ** 30 } };
  const settings = { KETHUB_CONTAINER_ENGINE: engine.socketPath };
  const question: Question = { settings, services: { Shell: files }, upload };
  const platform = await startServer<PlatformReady>('servers/platform.ts', question, '0,1');
  const service = platform.ready.services['Shell'];
  if (!service) throw new Error('Not deployed');
  const app = await callerOf(service);
  const image = await imageOfService(engine);
  const succeed = async (): Promise<void> => {
    const { status } = await app.finish({});
    if (status !== 'SUCCEEDED') throw new Error(`The execution is ${status}`);
  };
  const rounds = { bare: [] as number[], platform: [] as number[], ratio: [] as number[] };
  for (let round = -2; round < ROUNDS; round++) {
    const bare = await bareRun(engine, image, round);
    const began = performance.now();
    await succeed();
    const whole = performance.now() - began;
    if (round < 0) continue;
    rounds.bare.push(bare);
    rounds.platform.push(whole);
    rounds.ratio.push(whole / bare);
  }
  await platform.stop();
  const { Version } = (await engine.ask('GET', '/version')) as { Version: string };
  const how = `${ROUNDS} rounds in turns, Docker ${Version}, a shell that writes {}; bare: the same container created, given its input, started and awaited over the engine's socket`;
  return [
    { name: 'Bare container', unit: 'ms', value: median(rounds.bare), goal: null, how, rounds },
    {
      name: 'POST to SUCCEEDED in a container',
      unit: 'ms',
      value: median(rounds.platform),
      goal: null,
      how,
      rounds: {},
    },
    {
      name: 'POST to SUCCEEDED in a container against the bare container',
      unit: '×',
      value: median(rounds.ratio),
      goal: { atMost: 1.3 },
      how,
      rounds: {},
    },
  ];
}

async function imageOfService(engine: Engine): Promise<string> {
  const query = { filters: JSON.stringify({ label: [LABELS.source] }) };
  const [image] = (await engine.ask('GET', '/images/json', { query })) as { Id: string }[];
  if (!image) throw new Error('The platform has built no image');
  return image.Id;
}

/** Milliseconds from the request that creates it to the end of its program. */
async function bareRun(engine: Engine, image: string, round: number): Promise<number> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  chmodSync(folder, 0o711);
  const [input, output] = [path.join(folder, 'input'), path.join(folder, 'output')];
  mkdirSync(input);
  mkdirSync(output, { mode: 0o700 });
  chownSync(output, USER, USER);
  const { Config: config } = (await engine.ask('GET', `/images/${image}/json`)) as { Config: ImageConfig };
  const container = new Container(engine, `bare-${round + 2}`);
  const description = describeContainer({
    image,
    config,
    labels: {},
    environment: {},
    dataPools: [],
    limits,
    folders: { input, output, helper: BUSYBOX },
    network: 'none',
    cgroup: null,
    seccomp: seccompProfile(),
  });
  const began = performance.now();
  await container.create(description);
  await container.start();
  (await container.input()).resume().end(handover({}));
  await container.stopped();
  const took = performance.now() - began;
  const state = await container.state();
  if (state?.ExitCode !== 0) throw new Error(`The bare container ended with ${state?.ExitCode}`);
  await container.remove();
  rmSync(folder, { recursive: true });
  return took;
}
