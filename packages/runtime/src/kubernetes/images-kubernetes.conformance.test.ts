import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packLayer, writeImage } from '../../../../script/image/archive.ts';
import type { Cluster } from '../../../../script/kubernetes.ts';
import { REGISTRY_USER } from '../../../../script/registry.ts';
import { createClusterImages, PlatformStops } from '../build/cluster-images.ts';
import type { ImageLimits } from '../build/image-build.ts';
import type { BuildOutcome, BuiltImage } from '../build/outcome.ts';
import { BUSYBOX } from '../containers/check.ts';
import type { ContainerImage, ExecutionEnd, KubernetesSettings, LogLine } from '../index.ts';
import { afterWaiting, openBench, type Bench, type Order } from '../testing/bench.ts';
import { BUILDS, keepCredential, NAMESPACE, openCluster, openRegistries, settingsFor, type Registries } from '../testing/cluster.ts'; // prettier-ignore
import { testDriver } from '../testing/contract.ts';
import { RUNS_PROGRAM, SHELL, zipProject } from '../testing/zip-project.ts';

const MiB = 2 ** 20;

interface Built {
  outcome: BuildOutcome<BuiltImage>;
  log: string;
}

describe.skipIf(process.getuid?.() !== 0)('images on a real Kubernetes', () => {
  let cluster: Cluster;
  let registries: Registries;

  beforeAll(async () => {
    cluster = await openCluster();
    registries = await openRegistries(cluster);
  }, 3_600_000);
  afterAll(async () => {
    await registries?.stop();
    await cluster?.stop();
  });

  const settings = async (): Promise<KubernetesSettings> => ({
    ...(await settingsFor(cluster)),
    registry: registries.settings,
  });
  const builderOf = (bench: Bench, limits: Partial<ImageLimits> = {}) =>
    createClusterImages({
      dataDir: bench.dataDir,
      runtime: bench.runtime,
      registry: registries.settings,
      // Two pods fit onto the node at the same time.
      limits: { memoryBytes: 512 * MiB, cpus: 0.5, ...limits },
    });
  const build = async (
    bench: Bench,
    lines: readonly string[],
    limits: Partial<ImageLimits> = {},
    signal = new AbortController().signal,
    onLine: (line: LogLine) => void = () => undefined,
  ): Promise<Built> => {
    const { archive, digest } = await zipProject(lines);
    const log: string[] = [];
    const note = (line: LogLine): void => {
      log.push(line.message);
      onLine(line);
    };
    const building = builderOf(bench, limits).build(Readable.from([archive]), digest, note, signal);
    const outcome = await building.catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new Error(`${String(error)}\n${log.join('\n')}`);
    });
    return { outcome, log: log.join('\n') };
  };
  const imageOf = ({ outcome, log }: Built): ContainerImage => {
    if (!outcome.ok) throw new Error(`${outcome.problem.detail}\n${log}`);
    const { image, command = [], volumes = [] } = outcome.built;
    return { image, command, volumes };
  };
  const problemOf = ({ outcome }: Built) => (outcome.ok ? null : outcome.problem);

  describe('the contract of drivers', () => {
    let image: ContainerImage;
    testDriver({
      kind: 'IMAGE',
      async open() {
        const bench = await openBench({ kubernetes: await settings() });
        image = imageOf(await build(bench, [...SHELL, RUNS_PROGRAM]));
        return bench;
      },
      given: ({ shell }, order) => [image, { ...order, environment: { ...order.environment, PROGRAM: shell } }],
      // A folder that is two volumes cannot be described to the cluster.
      missing: { image: 'localhost/kethub-python:1', command: ['true'], volumes: ['/nowhere', '/nowhere'] },
      measuredBy: null,
      interfaces: 2,
      limitsProcesses: false,
      sharesFolders: false,
    });
  });

  describe('in a cluster', () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await openBench({ kubernetes: await settings() });
    });
    afterAll(async () => {
      await bench.close();
    });

    const jobs = async (namespace = BUILDS): Promise<{ metadata: { name: string; uid: string } }[]> =>
      ((await cluster.ask('GET', `/apis/batch/v1/namespaces/${namespace}/jobs`)).body['items'] ?? []) as never;
    const pods = async (namespace = BUILDS): Promise<Record<string, never>[]> =>
      ((await cluster.ask('GET', `/api/v1/namespaces/${namespace}/pods`)).body['items'] ?? []) as never;
    const nothingLeft = async (): Promise<void> =>
      eventually('no builds are left', async () => (await jobs()).length + (await pods()).length === 0);
    const isPushing = async (): Promise<boolean> =>
      JSON.stringify((await pods()).map(({ status }) => status)).includes('"name":"push","state":{"running"');
    const linesOf = async (id: string): Promise<string[]> => (await bench.log(id)).map(({ message }) => message);
    const saidBy = async (id: string): Promise<string[]> =>
      afterWaiting(await bench.log(id)).map(({ message }) => message);

    test('base, USER, WORKDIR, ENV, ENTRYPOINT, CMD and VOLUME of a Dockerfile are what a program sees', async () => {
      await pushBase(`${registries.bases.host}/library/base:1`);
      const image = imageOf(
        await build(bench, [
          'FROM base:1',
          'RUN mkdir -p /data /app && echo kept > /app/x && chown -R 1000:1000 /app && chmod 700 /data',
          'VOLUME /data /app',
          'USER 1234',
          'WORKDIR /app',
          'ENV A="$(PATH) b" MODE=slow',
          'ENTRYPOINT ["/bin/sh", "-c", "echo $0 $1; id -u; pwd; echo $A $MODE; cat x; echo more >> x; cat x; echo in > /data/y; cat /data/y", "zero $(MODE)"]',
          'CMD ["one"]',
          'HEALTHCHECK CMD false',
          'STOPSIGNAL SIGKILL',
        ]),
      );
      expect(image).toMatchObject({ volumes: ['/data'] });
      expect(image.image).toMatch(/\/kethub@sha256:[0-9a-f]{64}$/);
      const order: Order = { environment: { MODE: 'fast $(A)' } };
      for (const _run of [1, 2]) {
        const end = await bench.run(image, order);
        expect(end).toMatchObject({ outcome: 'SUCCEEDED', result: null });
        expect(await saidBy(end.executionId)).toEqual([
          'zero $(MODE) one',
          '1000',
          '/app',
          '$(PATH) b fast $(A)',
          'kept',
          'kept',
          'more',
          'in',
        ]);
      }
      await nothingLeft();
    }, 400_000);

    test('commands of a build have no credential, and no right that they do not need', async () => {
      const lines = [
        ...SHELL,
        'RUN env; find / -xdev 2>/dev/null | head -c 100000 | grep -i -E "push|secret|token" || echo nothing found',
        RUNS_PROGRAM,
      ];
      let spec: Record<string, unknown> = {};
      const built = await build(bench, lines, {}, undefined, () => {
        void pods().then(([pod]) => (spec = (pod?.['spec'] as never) ?? spec));
      });
      expect(built.log).toContain('nothing found');
      expect(built.log).not.toContain(REGISTRY_USER.password);
      expect(imageOf(built).command).toHaveLength(3);
      const { initContainers = [], containers = [] } = spec as Record<string, Record<string, unknown>[]>;
      expect(initContainers.map(({ name }) => name)).toEqual(['transfer', 'program']);
      expect(initContainers[1]).toMatchObject({
        securityContext: { privileged: false, capabilities: { drop: ['ALL'], add: ['SETUID', 'SETGID'] } },
      });
      expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsUser: 1000 } });
      for (const { name, volumeMounts } of [...initContainers, ...containers])
        expect([name, JSON.stringify(volumeMounts).includes('/run/kethub/push')]).toEqual([name, name === 'push']);
    }, 240_000);

    test.each<[string, string[], Partial<ImageLimits>, string, RegExp]>([
      ['a command that fails', ['RUN echo because; exit 3'], {}, 'image-build-failed', /exit status 3/],
      ['a base that is not there', ['FROM nowhere:9'], {}, 'image-build-failed', /nowhere/],
      ['no command', ['LABEL a=b'], {}, 'image-without-command', /neither CMD nor ENTRYPOINT/],
      ['time', ['RUN sleep 600', RUNS_PROGRAM], { buildMs: 15_000 }, 'image-limit-exceeded', /longer than 15 seconds/],
      [
        'memory',
        [`RUN awk 'BEGIN { s = "x"; while (1) s = s s }'`, RUNS_PROGRAM],
        { memoryBytes: 200 * MiB },
        'image-limit-exceeded',
        /more than 200 MiB of memory/,
      ],
      [
        'disk',
        ['RUN for n in 1 2 3 4 5 6 7 8; do dd if=/dev/zero of=/x$n bs=1M count=50; done; sleep 600', RUNS_PROGRAM],
        { diskBytes: 150 * MiB },
        'image-limit-exceeded',
        /more than 150 MiB of the disk/,
      ],
      [
        'size',
        ['RUN dd if=/dev/zero of=/x bs=1M count=12', RUNS_PROGRAM],
        { imageBytes: 8 * MiB },
        'image-limit-exceeded',
        /more than 8388608 bytes/,
      ],
    ])(
      '%s of a build is told in words',
      async (_what, lines, limits, code, words) => {
        const built = await build(bench, [...SHELL, ...lines], limits);
        expect([problemOf(built)?.code, built.log]).toEqual([code, expect.anything()]);
        expect(problemOf(built)?.detail).toMatch(words);
        await nothingLeft();
      },
      300_000,
    );

    test('a registry that does not take the credential is told, and the same upload is built when it does', async () => {
      const lines = [...SHELL, 'LABEL c=1', RUNS_PROGRAM];
      await keepCredential(cluster, BUILDS, registries.images.host, 'wrong');
      const refused = problemOf(await build(bench, lines));
      expect(refused?.code).toBe('image-build-failed');
      expect(refused?.detail).toMatch(/registry does not take the image: .*(unauthorized|authentication required).*Ask the operator/i); // prettier-ignore
      await keepCredential(cluster, BUILDS, registries.images.host, REGISTRY_USER.password);
      imageOf(await build(bench, lines));
      await nothingLeft();
    }, 300_000);

    test('a registry that is away for a while, or ends in the middle of a push, delays a build', async () => {
      const bytes = 60 * MiB;
      const lines = [...SHELL, `RUN dd if=/dev/urandom of=/large bs=1M count=${bytes / MiB}`, RUNS_PROGRAM];
      await registries.images.down();
      const building = build(bench, lines);
      await eventually('the image is being pushed', isPushing);
      await registries.images.up();
      await eventually('a layer is on its way', () => Promise.resolve(largest(registries.images.images, '_uploads') > MiB)); // prettier-ignore
      await registries.images.down();
      expect(largest(registries.images.images, 'blobs')).toBeLessThan(bytes);
      await registries.images.up();
      const end = await bench.run(imageOf(await building), { environment: { PROGRAM: 'wc -c </large' } });
      expect(end.outcome).toBe('SUCCEEDED');
      expect(await saidBy(end.executionId)).toEqual([String(bytes)]);
    }, 400_000);

    test('a registry that stays away fails a build in words, and a push can be cancelled', async () => {
      const lines = [...SHELL, 'LABEL stays=away', RUNS_PROGRAM];
      await registries.images.down();
      try {
        const stop = new AbortController();
        const first = expect(build(bench, lines, {}, stop.signal)).rejects.toThrow('not wanted');
        await eventually('the image is being pushed', isPushing);
        stop.abort(new Error('not wanted'));
        await first;
        const refused = problemOf(await build(bench, lines));
        expect(refused?.code).toBe('image-build-failed');
        expect(refused?.detail).toMatch(/registry does not take the image: .*connection refused.*Ask the operator/i);
        await nothingLeft();
      } finally {
        await registries.images.up();
      }
    }, 400_000);

    test('an image without a base is built while the registry of bases is away, and another build says so', async () => {
      await registries.bases.down();
      try {
        imageOf(await build(bench, [...SHELL, 'LABEL without=network', RUNS_PROGRAM]));
        const refused = problemOf(await build(bench, ['FROM base:1', RUNS_PROGRAM]));
        expect([refused?.code, refused?.detail]).toEqual(['image-build-failed', expect.stringMatching(/base:1.*refused/)]); // prettier-ignore
        await nothingLeft();
      } finally {
        await registries.bases.up();
      }
    }, 300_000);

    /** Starts an execution of an image that no node can pull, and waits until its log says so. */
    const stuck = async (image: ContainerImage, words: RegExp): Promise<{ id: string; ended: Promise<ExecutionEnd> }> => {
      const job = bench.jobOf(image, { environment: { PROGRAM: 'echo runs' }, limits: { cpus: 0.5 } });
      const ended = bench.ended(job.executionId);
      await bench.runtime.start(job);
      await eventually(`the log says ${words.source}`, async () =>
        (await linesOf(job.executionId)).some((line) => words.test(line)),
      );
      return { id: job.executionId, ended };
    }; // prettier-ignore

    test('an image that the registry has lost is told, and the same source makes a new one', async () => {
      const lines = [...SHELL, 'LABEL is=lost', RUNS_PROGRAM];
      const image = imageOf(await build(bench, lines));
      const [, digest] = image.image.split('@');
      const authorization = `Basic ${Buffer.from(`${REGISTRY_USER.name}:${REGISTRY_USER.password}`).toString('base64')}`;
      const manifest = `http://${registries.images.host}/v2/kethub/manifests/${digest}`;
      expect((await fetch(manifest, { method: 'DELETE', headers: { authorization } })).status).toBe(202);
      const { id, ended } = await stuck(image, /program cannot start \((ErrImagePull|ImagePullBackOff)\).*lost the image of this version/); // prettier-ignore
      await bench.runtime.cancel(id);
      expect((await ended).outcome).toBe('CANCELLED');
      const end = await bench.run(imageOf(await build(bench, lines)), { environment: { PROGRAM: 'echo runs' } });
      expect(end.outcome).toBe('SUCCEEDED');
    }, 300_000);

    test('an execution waits for a registry that does not let its node pull, and goes on when it does', async () => {
      const image = imageOf(await build(bench, [...SHELL, 'LABEL is=closed', RUNS_PROGRAM]));
      const { host } = registries.images;
      await keepCredential(cluster, NAMESPACE, host, 'wrong');
      const { id, ended } = await stuck(image, /program cannot start .*401 Unauthorized/);
      await keepCredential(cluster, NAMESPACE, host, REGISTRY_USER.password);
      expect((await linesOf(id)).join()).not.toContain('lost the image');
      expect((await ended).outcome).toBe('SUCCEEDED');
      expect(await linesOf(id)).toContain('runs');
    }, 300_000);

    test('a program that fills the folders of its image is ended', async () => {
      const image = imageOf(await build(bench, [...SHELL, 'RUN mkdir -m 777 /free', RUNS_PROGRAM]));
      const PROGRAM = 'i=0; while [ $i -lt 10 ]; do dd if=/dev/zero of=/free/$i bs=1M count=10 2>/dev/null; i=$((i + 1)); done; sleep 600'; // prettier-ignore
      const limits = { outputBytes: 4 * MiB, runTimeMs: 170_000, cpus: 0.5 };
      const end = await bench.run(image, { environment: { PROGRAM }, limits });
      expect(end).toMatchObject({ outcome: 'FAILED', cause: { type: 'OutputLimitExceeded' } });
      expect(end.cause?.detail).toContain('folders of its image');
    }, 240_000);

    test('input that cannot be a file, and a secret that cannot be a variable, are refused in words', async () => {
      const image = imageOf(await build(bench, [...SHELL, RUNS_PROGRAM]));
      const orders: [Order, RegExp][] = [
        [{ input: { ['x'.repeat(60_000)]: 1 } }, /cannot be handed over as the file/],
        [{ secrets: { 'a-b': 'x' } }, /cannot become an environment variable/],
      ];
      for (const [order, words] of orders) {
        const end = await bench.run(image, order);
        expect(end).toMatchObject({ outcome: 'FAILED', cause: { type: 'InputRefused' } });
        expect(end.cause?.detail).toMatch(words);
      }
    }, 240_000);

    test('a build goes on without a platform and without a runner, and is done once', async () => {
      const lines = [...SHELL, 'RUN echo begins; sleep 20; echo ends', RUNS_PROGRAM];
      const stop = new AbortController();
      const first = build(bench, lines, {}, stop.signal, ({ message }) => {
        if (message === 'begins') stop.abort(new PlatformStops());
      });
      await expect(first).rejects.toThrow(PlatformStops);
      const before = await jobs();
      process.kill((await bench.runtime.status()).runnerPid, 'SIGKILL');
      const built = await build(bench, lines);
      imageOf(built);
      expect(before).toHaveLength(1);
      expect(built.log).toContain('goes on');
      expect(built.log.split('\nbegins')).toHaveLength(2);
      expect(built.log).toContain('\nends');
      await nothingLeft();
    }, 300_000);

    test('a build that nobody wants any more is ended, and leaves nothing', async () => {
      const stop = new AbortController();
      const first = build(bench, [...SHELL, 'RUN echo begins; sleep 600', RUNS_PROGRAM], {}, stop.signal, (line) => {
        if (line.message === 'begins') stop.abort(new Error('not wanted'));
      });
      await expect(first).rejects.toThrow('not wanted');
      await nothingLeft();
      const builder = builderOf(bench);
      await eventually('its end is there', async () =>
        (await bench.runtime.list()).some((one) => one.executionId.startsWith('build-') && one.state === 'ENDED'),
      );
      await builder.sweep(() => Promise.resolve(new Set()));
    }, 240_000);

    test('two namespaces keep what belongs together', async () => {
      expect(await pods(NAMESPACE)).toEqual([]);
      expect(await jobs(NAMESPACE)).toEqual([]);
    });
  });
});

/** Waits for as long as it takes; the limit of the test ends it. */
async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 200, what));
}

/** Bytes of the largest file below the folders of this name. */
function largest(folder: string, name: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.split('/').includes(name));
  return Math.max(0, ...files.map((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0));
} // prettier-ignore

/** Brings an image with a shell to a registry, as an operator does who has a mirror. */
async function pushBase(name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-base-'));
  try {
    mkdirSync(join(folder, 'root/bin'), { recursive: true });
    cpSync(BUSYBOX, join(folder, 'root/bin/busybox'));
    for (const applet of ['sh', 'mkdir', 'chown', 'chmod', 'id', 'pwd', 'cat'])
      symlinkSync('busybox', join(folder, 'root/bin', applet));
    const layer = await packLayer(join(folder, 'root'), join(folder, 'layer.tar.gz'));
    const config = { Entrypoint: ['/bin/sh'], Env: ['PATH=/bin'], User: '', WorkingDir: '/', StopSignal: 'SIGTERM', Labels: {} }; // prettier-ignore
    const archive = join(folder, 'image.tar');
    writeImage(archive, 'localhost/base:1', [layer], config);
    const push = ['copy', '--quiet', '--dest-tls-verify=false', `oci-archive:${archive}`, `docker://${name}`];
    execFileSync('skopeo', push, { stdio: 'inherit' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
