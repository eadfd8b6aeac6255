import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BUSYBOX } from '../containers/check.ts';
import { quoted, secretVariables } from '../containers/handover.ts';
import type { ContainerImage } from '../types.ts';
import {
  baseEnvironment,
  exchanged,
  frameOf,
  literal,
  KETHUB,
  PASS_TERM,
  programMounts,
  resourcesOf,
  SECURITY,
  TOLERANCE,
  transferOf,
  variables,
  waitForInput,
  waitForProgram,
  type Order,
} from './objects.ts';
import { CONTAINERS } from './pod.ts';
import type { RegistrySettings } from './settings.ts';

/** Path of a busybox in the pod. It is statically linked, so that it runs in an empty image. */
const HELPER = `${KETHUB}/helper/busybox`;
/** Bytes of a log on the node, which count as the program's share of the disk. */
const LOG_SLACK = 16 * 1024 * 1024;
/** Share of the disk of the sidecar: input and data pools count, and have no limit of their own. */
const NO_LIMIT = '1Pi';
/** Folders of an image that are memory. Further ones are part of the image. */
const MOST_VOLUMES = 20;

/** The pod of a Docker service. Its image has nothing of ours, so a shell comes with the input. */
export function imagePod(
  order: Order,
  { pullSecret }: RegistrySettings,
  { image, command = [], volumes = [] }: ContainerImage,
): object {
  const { settings, limits } = order;
  const frame = frameOf(order);
  const disk = String(limits.outputBytes * TOLERANCE + limits.logBytes + LOG_SLACK);
  const ours = transferOf(order, settings.image.replaceAll('{python}', '3'), { HANDOVER: 'text' }) as Transfer;
  const resources = resourcesOf(order);
  const memory = volumes.slice(0, MOST_VOLUMES);
  return {
    ...frame,
    ...(pullSecret !== null && { imagePullSecrets: [{ name: pullSecret }] }),
    volumes: [
      ...frame.volumes,
      ...memory.map((_path, index) => ({
        name: `volume${index}`,
        emptyDir: { medium: 'Memory', sizeLimit: String(limits.tmpBytes) },
      })),
    ],
    initContainers: [
      {
        ...ours,
        resources: {
          requests: { ...ours.resources.requests, 'ephemeral-storage': '1Mi' },
          limits: { ...ours.resources.limits, 'ephemeral-storage': NO_LIMIT },
        },
        // The program is started with the shell, so it cannot begin before the shell is there.
        lifecycle: { postStart: { exec: { command: ['/bin/sh', '-c', waitForHelper(250)] } } },
        startupProbe: {
          exec: { command: ['/bin/sh', '-c', waitForHelper(1)] },
          periodSeconds: 1,
          failureThreshold: 1_000_000,
        },
      },
    ],
    containers: [
      {
        name: CONTAINERS.program,
        image,
        command: [HELPER, 'sh', '-c', startOf(order), 'kethub', ...command].map(literal),
        env: variables({ ...baseEnvironment(limits.cpus), ...order.environment }),
        resources: {
          requests: { ...resources, 'ephemeral-storage': '1Mi' },
          limits: { ...resources, 'ephemeral-storage': disk },
        },
        // The program can write where the image lets its user write. This layer ends with the pod.
        securityContext: { ...SECURITY, readOnlyRootFilesystem: false },
        volumeMounts: [
          exchanged('helper', `${KETHUB}/helper`),
          exchanged('input', '/var/runtime/input'),
          ...programMounts(order),
          ...memory.map((path, index) => ({ name: `volume${index}`, mountPath: path })),
        ],
      },
    ],
  };
}

interface Transfer {
  readonly resources: { readonly requests: object; readonly limits: object };
}

/** Waits until the input is in the pod, or was refused. Fails after so many attempts. */
function waitForHelper(attempts: number): string {
  const [refused, ready] = ['refused', 'ready'].map((name) => `[ -e ${KETHUB}/exchange/result/${name} ]`);
  const isThere = `[ -e ${KETHUB}/handover/job ] || ${refused} || ${ready}`;
  if (attempts === 1) return isThere;
  // A failure would end the container; the probe goes on waiting.
  return `n=0; until ${isThere} || [ $n -ge ${attempts} ]; do sleep 0.02; n=$((n + 1)); done`;
}

/** Marks lines of standard error, which the log of a pod does not tell from those of standard output. */
const MARK = String.raw`{ if (substr($0, 1, 1) != "\036") printf "\036WARNING "; print; fflush() }`;
/** Waits a moment for the last marked lines: a process that stays behind may hold standard error open. */
const LAST_LINES = `n=0
while kill -0 "$marks" 2>/dev/null && [ $n -lt 100 ]; do ${HELPER} sleep 0.02; n=$((n + 1)); done
`;

/** The start of the program: it reads the secrets from a file that is gone by then, and becomes the command of the image. */
function startOf(order: Order): string {
  const tools = `${HELPER} `;
  const become = quoted(`lines="$(${HELPER} cat <&4)"; exec 4<&-; eval "$lines"; exec "$@"`);
  return `${waitForInput(order.limits, tools)}
exec 4<${KETHUB}/handover/job
${tools}rm ${KETHUB}/handover/job || exit 125
${tools}mkfifo ${KETHUB}/handover/errors || exit 125
${tools}awk ${quoted(MARK)} <${KETHUB}/handover/errors 4<&- &
marks=$!
exec 5>${KETHUB}/handover/errors
${tools}rm ${KETHUB}/handover/errors
${PASS_TERM}
${HELPER} sh -c ${become} kethub "$@" 2>&5 5>&- &
${waitForProgram(order, LAST_LINES)}`;
}

/** Lines that set the variables of an execution which are protected like secrets. @throws InputRefused */
export function handoverOf(secrets: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>>): string {
  const all = Object.entries({ ...secretVariables(secrets), ...environment });
  return all.map(([name, value]) => `export ${name}=${quoted(value)}\n`).join('');
} // prettier-ignore

/** Makes the folder of the shell, which a pod fetches. */
export function makeHelper(folder: string): string {
  const helper = join(folder, 'helper');
  mkdirSync(helper, { mode: 0o700 });
  cpSync(BUSYBOX, join(helper, 'busybox'));
  return helper;
}
