import { BUILDS, NAMESPACE, openCluster, openRegistries, type Registries } from '@kethub/runtime/testing/cluster';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../../../../script/kubernetes.ts';
import { sqlite } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { kubernetesSettings } from '../../testing/kubernetes.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';

const files = {
  Dockerfile: [
    'FROM scratch',
    'COPY busybox run.sh /bin/',
    'RUN ["/bin/busybox", "--install", "-s", "/bin"]',
    'RUN echo it is being built; sleep 15; echo it is built',
    'ENTRYPOINT ["run.sh"]',
  ].join('\n'),
  busybox: readFileSync('/bin/busybox'),
  'run.sh': `#!/bin/sh
cd /var/runtime/output
echo "mode $MODE, secret of \${#SECRET_MY_TOKEN} characters"
printf '{"number": %s}' "$(cat /var/runtime/input/number.json)" > output.json
echo 1,2 > plot.csv
`,
};

describe.skipIf(process.getuid?.() !== 0)(
  'a platform whose Docker services are built and run in a real Kubernetes',
  () => {
    let cluster: Cluster;
    let registries: Registries;
    let kethub: TestKethub;

    beforeAll(async () => {
      cluster = await openCluster();
      registries = await openRegistries(cluster);
      const { repository, pullSecret, pushSecret, builderImage, baseRegistry } = registries.settings;
      kethub = await startTestKethub(sqlite, {
        KETHUB_CONTAINER_ENGINE: 'off',
        ...(await kubernetesSettings(cluster)),
        KETHUB_KUBERNETES_REGISTRY: repository,
        KETHUB_KUBERNETES_REGISTRY_TLS: 'off',
        KETHUB_KUBERNETES_PULL_SECRET: pullSecret ?? '',
        KETHUB_KUBERNETES_PUSH_SECRET: pushSecret ?? '',
        KETHUB_KUBERNETES_BUILDER_IMAGE: builderImage,
        KETHUB_KUBERNETES_BASE_REGISTRY: baseRegistry,
      });
    }, 3_600_000);
    afterAll(async () => {
      await kethub?.close();
      await registries?.stop();
      await cluster?.stop();
    });

    /** Waits until a namespace has no pod: their removal follows the end. */
    const nothingLeft = async (namespace: string): Promise<void> => {
      for (;;) {
        const { body } = await cluster.ask('GET', `/api/v1/namespaces/${namespace}/pods`);
        if ((body['items'] as unknown[]).length === 0) return;
        await pause(100);
      }
    };
    const podNames = async (): Promise<string[]> => {
      const { body } = await cluster.ask('GET', `/api/v1/namespaces/${BUILDS}/pods`);
      return (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    };

    test('a service is published and called, though the platform is restarted while it is built', async () => {
      const pods = new Set<string>();
      const watching = new AbortController();
      const restarted = (async () => {
        while (pods.size === 0 && !watching.signal.aborted) {
          for (const name of await podNames()) pods.add(name);
          await pause(200);
        }
        await pause(4_000);
        await kethub.restart();
        while (!watching.signal.aborted) {
          for (const name of await podNames()) pods.add(name);
          await pause(200);
        }
      })();
      const upload = {
        configuration: { runtime: 'DOCKER' as const, memoryGb: 0.125, cpus: 0.5, environment: { MODE: 'fast' } },
        programs: ['busybox', 'run.sh'],
      };
      const deployed = await deploy(kethub.client, 'Shell', files, upload).finally(() => watching.abort());
      await restarted;
      expect(pods.size).toBe(1);
      const app = await callerOf(deployed);
      await nothingLeft(BUILDS);
      const { id } = await app.start({ number: 42, $secrets: { myToken: 'abc' } });
      const { body } = await app.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
      expect(body).toMatchObject({ status: 'SUCCEEDED' });
      expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ number: 42 });
      expect((await app.request('GET', `/${id}/result/plot.csv`)).text).toBe('1,2\n');
      expect((await app.request('GET', `/${id}/log`)).text).toContain('mode fast, secret of 3 characters');
      await nothingLeft(NAMESPACE);
    }, 400_000);
  },
);
