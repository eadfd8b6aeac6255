import { usualEngine } from '@kethub/runtime';
import { Type, type Static, type TObject } from 'typebox';
import { Refusal } from './refusal.ts';

/** Container engine of a worker. */
export interface ContainerSettings {
  readonly socketPath: string;
  /** Network of executions: one of the engine, or `none`. */
  readonly network: string;
  /** Network of builds: one of the engine, or `none`. */
  readonly buildNetwork: string;
}

const NETWORK = '^[A-Za-z0-9][A-Za-z0-9_.-]*$';

/** The settings of services with a Dockerfile. */
export const ContainerFields = {
  KETHUB_CONTAINER_ENGINE: Type.String({
    default: 'auto',
    pattern: '^(auto|off|/.+)$',
    description:
      'Container engine for services with a Dockerfile: path of the socket of a Docker or Podman on this machine. `auto` takes `/run/docker.sock` or `/run/podman/podman.sock` if there is one, `off` none. See [Operations](operations.md).',
  }),
  KETHUB_CONTAINER_NETWORK: Type.String({
    default: 'none',
    pattern: NETWORK,
    description: 'Network of the engine that executions in containers are connected to. `none` is no network.',
  }),
  KETHUB_CONTAINER_BUILD_NETWORK: Type.String({
    default: 'none',
    pattern: NETWORK,
    description:
      'Network of the engine for the commands of a Dockerfile, such as `bridge` for `pip install`. `none` is no network. Builds can then download from every address that this network reaches.',
  }),
};

type Given = Static<TObject<typeof ContainerFields>>;

/**
 * null without an engine. Throws Refusal for the network of the machine, which would open all of its ports to user
 * code.
 */
export function containersOf(given: Given): ContainerSettings | null {
  for (const name of ['KETHUB_CONTAINER_NETWORK', 'KETHUB_CONTAINER_BUILD_NETWORK'] as const) {
    if (['host', 'container'].includes(given[name]))
      throw new Refusal(
        `${name}=${given[name]} would give user code the network of the machine. Name a network of the engine.`,
      );
  }
  const wanted = given.KETHUB_CONTAINER_ENGINE;
  const socketPath = wanted === 'auto' ? usualEngine() : wanted;
  if (socketPath === undefined || socketPath === 'off') return null;
  return {
    socketPath,
    network: given.KETHUB_CONTAINER_NETWORK,
    buildNetwork: given.KETHUB_CONTAINER_BUILD_NETWORK,
  };
}
