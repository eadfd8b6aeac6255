import type { TransferTls } from '../transfers/tls.ts';

/** A cluster in whose namespace executions run, and the way of its pods to this machine. */
export interface KubernetesSettings {
  /** Address of the API server, `https://10.96.0.1:443`. */
  readonly server: string;
  readonly namespace: string;
  /** File with the certificates of the API server's authority. */
  readonly caFile: string;
  /** File with the token of our service account. It is read for each request, because the cluster renews it. */
  readonly tokenFile: string;
  /** Image for Python services; `{python}` stands for the version, such as `3.12`. It needs Python and a shell. */
  readonly image: string;
  /** Port on which pods fetch their input and bring their output. */
  readonly port: number;
  /** Address of that port as pods see it, `http://kethub-worker:8090`. */
  readonly url: string;
  /** TLS of that port; null for none. */
  readonly tls: TransferTls | null;
  /** Name of the resource for GPUs that versions ask for, such as `nvidia.com/gpu`. */
  readonly gpuResource: string;
  /** Further resources of each program, such as `{ 'example.com/licence': '1' }`. */
  readonly resources: Readonly<Record<string, string>>;
  /** Labels of the nodes on which programs may run. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** The registry of Docker services, and how their images are built; null where they run elsewhere or not at all. */
  readonly registry?: RegistrySettings | null;
}

/** A registry for the images of Docker services, and the namespace in which they are built. */
export interface RegistrySettings {
  /** The repository of all images, `registry.example.org/kethub`. */
  readonly repository: string;
  /** File with the certificates of the registry's authority; null for those that are known anyway. */
  readonly caFile: string | null;
  /** True for a registry without TLS. */
  readonly isPlain: boolean;
  /** Secret of the namespace of executions with which nodes pull images; null for none. */
  readonly pullSecret: string | null;
  /** Secret of the namespace of builds with which images are pushed; null for none. */
  readonly pushSecret: string | null;
  readonly buildNamespace: string;
  /** Image with Buildah, Skopeo and Python. */
  readonly builderImage: string;
  /** Registry, with a path if it has one, that stands in for docker.io in Dockerfiles. */
  readonly baseRegistry: string;
  /** Hosts that builds may connect to besides the registry, as `host:port`. */
  readonly hosts: readonly string[];
  /** File of a seccomp profile on the nodes that allows user namespaces; null for none, where nodes set none themselves. */
  readonly seccompProfile: string | null;
}
