import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { deploy, type TestKethub } from '@kethub/server/testing/kethub';
import { Engine } from '@kethub/runtime/containers';
import { installationOf } from '@kethub/runtime/containers';
import type { ContainerEngine } from '../../script/container-engine.ts';
import { openReports } from './reports.ts';

/** A service with a Dockerfile, and the engine that runs it. */
export interface Containers {
  readonly engine: ContainerEngine;
  readonly app: Caller;
  /** Number of runs of each mark since the beginning. */
  runs(): ReadonlyMap<string, number>;
  /** Leftovers in the container engine of executions that have ended, one sentence each. */
  left(): Promise<string[]>;
  close(): Promise<void>;
}

const HOST = '127.0.0.2';
const ATTEMPTS = 300;

/**
 * Does for containers what the witness does for sandboxes. Nobody can see from outside which files a container opens.
 * So each run reports itself, under its own number, to the host that it has declared, until it gets an answer.
 */
const RUN = `#!/bin/sh
cd /var/runtime/output
mark=$(cat /var/runtime/input/mark.json)
mode=$(tr -d '"' < /var/runtime/input/mode.json)
if [ -e /var/runtime/input/padding.json ]; then padding=$(tr -d '"' < /var/runtime/input/padding.json); fi
seconds=$(cat /var/runtime/input/seconds.json)
run=$(cat /proc/sys/kernel/random/uuid)
if [ $mode = stubborn ]; then trap "" TERM; seconds=20; fi
until wget -q -O /dev/null "http://$REPORTS_TO/$mark/$run" 2>/dev/null; do sleep 0.1; done
echo "began $mark"
if [ $mode = orphan ]; then setsid sleep 300 & fi
sleep $seconds
if [ $mode = files ]; then head -c 200000 /dev/zero > data.bin; fi
if [ -n "$padding" ]; then echo "$padding"; fi
echo "ended $mark"
if [ $mode = raise ]; then exit 3; fi
printf '{"mark": %s, "padding": "%s"}' "$mark" "$padding" > output.json
`;

const DOCKERFILE = `FROM scratch
COPY busybox run.sh /bin/
RUN ["/bin/busybox", "--install", "-s", "/bin"]
ENTRYPOINT ["run.sh"]
`;

export function settingsOf(engine: ContainerEngine | null): Record<string, string> {
  return engine === null
    ? { KETHUB_CONTAINER_ENGINE: 'off' }
    : { KETHUB_CONTAINER_ENGINE: engine.socket, KETHUB_SERVICE_NETWORKS: `${HOST}/32` };
}

export async function openContainers(engine: ContainerEngine, kethub: TestKethub): Promise<Containers> {
  const reports = await openReports(HOST);
  const reportsTo = reports.address;
  const deployed = await deploy(
    kethub.client,
    'Container',
    { Dockerfile: DOCKERFILE, 'run.sh': RUN, busybox: readFileSync('/bin/busybox') },
    {
      configuration: {
        runtime: 'DOCKER',
        cpus: 0.25,
        memoryGb: 0.0625,
        hosts: [reportsTo],
        environment: { REPORTS_TO: reportsTo },
      },
      programs: ['busybox', 'run.sh'],
    },
  );
  const { id } = installationOf(`${kethub.dataDir}/runtime`);
  return {
    engine,
    app: await callerOf(deployed),
    runs: reports.runs,
    async left() {
      for (let attempt = 1; ; attempt++) {
        const left = await containersOf(engine, id);
        if (left.length === 0 || attempt === ATTEMPTS) return left.map((name) => `container is left: ${name}`);
        await pause(100);
      }
    },
    async close() {
      reports.close();
      await engine.stop();
    },
  };
}

async function containersOf({ socket }: ContainerEngine, installation: string): Promise<string[]> {
  const filters = JSON.stringify({ label: [`kethub.installation=${installation}`] });
  const found = await new Engine(socket).ask('GET', '/containers/json', { query: { all: true, filters } });
  return (found as { Names: string[] }[]).flatMap(({ Names }) => Names);
}
