import { settingsFor } from '@kethub/runtime/testing/cluster';
import type { Cluster } from '../../../../script/kubernetes.ts';
import type { Settings } from './child-process.ts';

/** Settings of a platform whose executions are jobs of this cluster. */
export async function kubernetesSettings(cluster: Cluster): Promise<Settings> {
  const { server, namespace, caFile, tokenFile, image, port, url } = await settingsFor(cluster);
  return {
    KETHUB_KUBERNETES: 'on',
    KETHUB_KUBERNETES_SERVER: server,
    KETHUB_KUBERNETES_NAMESPACE: namespace,
    KETHUB_KUBERNETES_CA_FILE: caFile,
    KETHUB_KUBERNETES_TOKEN_FILE: tokenFile,
    KETHUB_KUBERNETES_IMAGE: image,
    KETHUB_KUBERNETES_PORT: String(port),
    KETHUB_KUBERNETES_URL: url,
  };
}
