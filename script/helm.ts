import { execFile } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from './kubernetes.ts';
import { builtOnce, cacheFolder, callGo } from './kubernetes/build.ts';
import { root } from './run.ts';

const VERSION = 'v4.3.1';

/** Folder of the chart. */
export const CHART = path.join(root, 'deploy/helm/kethub');

/** Path of Helm. The first call builds it from its Go module, in three to ten minutes. */
export function buildHelm(say: (line: string) => void): string {
  return builtOnce(`helm-${VERSION}`, (folder) => {
    say('building Helm from its Go module, once for this machine: three to ten minutes ...');
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w'];
    callGo(['install', ...flags, `helm.sh/helm/v4/cmd/helm@${VERSION}`], folder, { GOBIN: folder });
    return path.join(folder, 'helm');
  });
}

const KEDA = 'v2.17.2';

/** Path of the definition of KEDA's ScaledObject, from its Go module. */
export function fetchScaledObjects(): string {
  return builtOnce(`keda-scaledobjects-${KEDA}.yaml`, (folder) => {
    callGo(['mod', 'download', `github.com/kedacore/keda/v2@${KEDA}`], folder);
    const module = path.join(cacheFolder(), `go/pkg/mod/github.com/kedacore/keda/v2@${KEDA}`);
    const definition = path.join(folder, 'definition.yaml');
    cpSync(path.join(module, 'config/crd/bases/keda.sh_scaledobjects.yaml'), definition);
    return definition;
  });
}

/** Writes the credentials of the administrator of a cluster, as Helm reads them. */
export function writeKubeconfig(cluster: Cluster, file: string): void {
  const pki = path.dirname(cluster.caFile);
  const user = { 'client-certificate': path.join(pki, 'admin.crt'), 'client-key': path.join(pki, 'admin.key') };
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'k', cluster: { server: cluster.server, 'certificate-authority': cluster.caFile } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      'current-context': 'c',
    }),
    { mode: 0o600 },
  );
}

/** Runs Helm and returns what it prints. Throws with its words. */
export async function helm(program: string, args: readonly string[], home: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...args], {
    encoding: 'utf8',
    timeout: 900_000,
    maxBuffer: 2 ** 26,
    env: { PATH: '/usr/bin:/bin', HOME: home, KUBECONFIG: path.join(home, 'kubeconfig') },
  });
  return stdout;
}
