import { Type, type Static, type TObject } from 'typebox';
import { networksOf } from './networks.ts';

/** Environment and network access of user code. */
export interface UserCodeSettings {
  readonly warmMemoryMb: number;
  readonly sandboxRoot: 'own' | 'machine';
  /** Disk for layers of installed packages, in bytes; beyond that unneeded ones are removed. */
  readonly layerBytes: number;
  /** Private networks in which managed services may declare hosts to call. */
  readonly serviceNetworks: readonly string[];
}

export const UserCodeFields = {
  KETHUB_LAYERS_MB: Type.Integer({
    minimum: 100,
    maximum: 1_000_000_000,
    default: 20_480,
    description:
      'Space that installed packages may take on the disk of a worker. Beyond it, packages that no version of a service needs are removed, the longest unused first.',
  }),
  KETHUB_WARM_MEMORY_MB: Type.Integer({
    minimum: 0,
    default: 512,
    description: 'Memory that pre-warmed processes may hold while they wait. 0 switches warm starts off.',
  }),
  KETHUB_SANDBOX_ROOT: Type.Enum(['own', 'machine'], {
    default: 'own',
    description:
      "The `/usr` that user code sees. `own`: Python from packages of Debian, built in the data folder after the first start (a download of 21 MB). `machine`: a part of this machine's `/usr`, which also serves until `own` is built and where it cannot be built.",
  }),
  KETHUB_SERVICE_NETWORKS: Type.Optional(
    Type.String({
      description:
        'Private networks (`10.1.0.0/16`), separated by commas. Managed services may declare hosts in them, as they may declare public ones. Default: none.',
    }),
  ),
};

/** Throws Refusal for an entry of the list that is no network. */
export function userCodeOf(given: Static<TObject<typeof UserCodeFields>>): UserCodeSettings {
  return {
    warmMemoryMb: given.KETHUB_WARM_MEMORY_MB,
    sandboxRoot: given.KETHUB_SANDBOX_ROOT,
    layerBytes: given.KETHUB_LAYERS_MB * 1024 * 1024,
    serviceNetworks: networksOf('KETHUB_SERVICE_NETWORKS', given.KETHUB_SERVICE_NETWORKS),
  };
}
