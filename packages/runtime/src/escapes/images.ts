import { zipTricks } from './builds.ts';
import { hostileZip, type HostileEntry } from './hostile-zip.ts';
import { filesOfAll } from './programs.ts';
import type { Traps } from './traps.ts';
import type { EscapeDriver, HostileBuild } from './types.ts';
import { uploaded } from './upload.ts';

/** The limits of hostile builds. */
export const BUILD_LIMITS = { memoryBytes: 256 * 2 ** 20, processes: 500, buildMs: 60_000 };

/** An upload that is built into an image. */
export const HOSTILE_IMAGES: readonly HostileBuild[] = [
  { name: 'zip_tricks', tries: 'leave the folder or fill the disk while the upload is unpacked', attack: zipTricks },
  { name: 'commands_at_build', tries: 'leave the build with RUN: files, ports, devices, processes', attack: commands },
  {
    name: 'images_of_others',
    tries: 'take the image of somebody else, by its id or the beginning of it',
    attack: thefts,
  },
  { name: 'files_at_build', tries: 'take files of the machine with COPY and ADD', attack: files },
  { name: 'memory_at_build', tries: 'fill the memory with RUN', attack: memory },
];

const START = '["/usr/bin/python3", "-I", "-S", "-u", "-B",';

async function commands(driver: EscapeDriver, traps: Traps): Promise<string[]> {
  const hints = { ...traps.hints, engines: driver.sockets };
  const archive = zipOf(
    [`FROM ${await baseOf(driver)}`, 'COPY . /app', `RUN ${START} "/app/src/container_build.py"]`, 'CMD ["x"]'],
    [...sources(), { name: 'hints.json', content: JSON.stringify(hints) }],
  );
  const { outcome, said } = await uploaded(driver, archive);
  const faults = outcome.ok ? [] : [`it could not be tried: ${outcome.problem.detail}`];
  faults.push(...(said.match(/^NOT REFUSED: .*$/gm) ?? []).map((line) => line.slice(0, 200)));
  if (said.includes(traps.secret)) faults.push('a secret of the machine is in the log of the build');
  const started = Number(/^PROCESSES (\d+)$/m.exec(said)?.[1] ?? Number.NaN);
  if (!(started <= BUILD_LIMITS.processes)) faults.push(`it could start ${started} processes`);
  return faults;
}

async function thefts(driver: EscapeDriver): Promise<string[]> {
  const base = await baseOf(driver);
  const id = await driver.imageId?.(base);
  if (id === undefined) return ['it could not be tried: the id of the image is not known'];
  const [hex = ''] = id.split(':').slice(-1);
  const short = hex.slice(0, 16);
  const ways = [
    [`FROM ${short}`],
    [`FROM ${id}`],
    [`FROM "${short}"`],
    ['FROM \\', short],
    [`ARG A=${short}`, 'FROM ${A}'],
    [`ARG A=a256:${short}`, 'FROM sh${A}'],
    ['FROM scratch', `COPY --from=${short} /etc/passwd /x`],
    ['FROM scratch', `COPY --from=${id} /etc/passwd /x`],
    ['FROM scratch', `COPY --fr"om"=${short} /etc/passwd /x`],
    ['FROM scratch', 'COPY \\', `  --from=${short} /etc/passwd /x`],
    ['FROM scratch', 'CO\\', `PY --from=${short} /etc/passwd /x`],
    ['FROM scratch', `\u0085COPY --from=${short} /etc/passwd /x`],
  ];
  const faults: string[] = [];
  for (const way of ways) {
    const { outcome } = await uploaded(driver, zipOf([...way, 'CMD ["x"]']));
    if (outcome.ok) faults.push(`${way.join(' / ')} took it`);
  }
  return faults;
}

async function files(driver: EscapeDriver, traps: Traps): Promise<string[]> {
  const [path = ''] = traps.hints.paths;
  const ways = [
    `COPY ${path} /x`,
    `COPY ../../../../../../../..${path} /x`,
    `ADD file://${path} /x`,
    `ADD http://127.0.0.1:${traps.hints.port}/ /x`,
    `COPY --from=dir:${path} / /x`,
    `RUN --mount=type=bind,source=${path},target=/x ["/x"]`,
  ];
  const faults: string[] = [];
  for (const way of ways) {
    const { outcome, said } = await uploaded(driver, zipOf(['FROM scratch', way, 'CMD ["x"]']));
    if (outcome.ok) faults.push(`${way} was done`);
    if (said.includes(traps.secret)) faults.push(`${way} revealed a secret of the machine`);
  }
  return faults;
}

async function memory(driver: EscapeDriver): Promise<string[]> {
  const hog = `bytearray(b'x') * ${4 * BUILD_LIMITS.memoryBytes}; print('ALL OF IT')`;
  const { outcome, said } = await uploaded(
    driver,
    zipOf([`FROM ${await baseOf(driver)}`, `RUN ${START} "-c", "${hog}"]`, 'CMD ["x"]']),
  );
  return outcome.ok || /^ALL OF IT$/m.test(said) ? ['it got more memory than a build may have'] : [];
}

async function baseOf(driver: EscapeDriver): Promise<string> {
  const { code } = await driver.program('host_files');
  if (!('image' in code)) throw new Error(`The driver ${driver.name} has no images.`);
  return code.image;
}

function sources(): HostileEntry[] {
  return Object.entries(filesOfAll()).map(([name, content]) => ({ name, content }));
}

function zipOf(lines: readonly string[], entries: readonly HostileEntry[] = []): Buffer {
  return hostileZip([{ name: 'Dockerfile', content: `${lines.join('\n')}\n` }, ...entries]);
}
