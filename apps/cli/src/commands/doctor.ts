import path from 'node:path';
import type { EscapeDriver, Finding } from '@kethub/runtime/escapes';
import type { Command } from 'commander';
import { addCommand, endWith, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { usageFailure } from '../failures.ts';
import { table } from '../terminal/table.ts';

interface SandboxOptions extends CommonOptions {
  readonly data?: string;
  readonly engine?: string;
  readonly only?: string[];
}

/** A way to run code on this machine, with a description. */
interface Driver {
  readonly how: string;
  open(): Promise<EscapeDriver>;
}

type Escapes = typeof import('@kethub/runtime/escapes');

/** Checks of the machine on which ket runs. */
export function addDoctor(program: Command, shell: Shell): void {
  const doctor = program.command('doctor').description('check the machine on which Kethub runs');
  addCommand(
    doctor,
    'sandbox',
    'start hostile programs in the sandbox of this machine, and show which protection stopped each',
  )
    .option(
      '--data <folder>',
      'use the disk and the sandbox root of this data folder (default: KETHUB_DATA_DIR, or the folder for temporary files)',
    )
    .option(
      '--engine <socket>',
      'also test this container engine: a path, `auto` for the engine of this machine, `off` for none (default: KETHUB_CONTAINER_ENGINE, or auto)',
    )
    .option('--only <names...>', 'start only these programs')
    .action((options: SandboxOptions) => sandbox(shell, options));
  addCommand(doctor, 'pythons', 'list the versions of Python that services can use, and those that are installed')
    .requiredOption('--data <folder>', 'the data folder of the installation')
    .action((options: PythonsOptions) => pythons(shell, options));
}

/** Loads what runs code on this machine. An installed ket comes without it: the checks belong to an installation of Kethub. */
async function loadEscapes(): Promise<Escapes> {
  try {
    return await import('@kethub/runtime/escapes');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw usageFailure(
        'This command checks an installation of Kethub, and this ket was installed without one.',
        'npm run ket -- doctor sandbox    (in the folder of Kethub)',
      );
    throw error;
  }
}

interface PythonsOptions extends CommonOptions {
  readonly data: string;
}

async function pythons(shell: Shell, options: PythonsOptions): Promise<void> {
  const { currentRoot, installedPythons, pythonReleases } = await loadEscapes();
  const runtimeDir = path.resolve(shell.folder, options.data, 'runtime');
  const installed = new Map(installedPythons(runtimeDir).map((one) => [one.version, one]));
  const root = currentRoot(runtimeDir);
  const found = pythonReleases().map(({ version, release, url, sha256 }) => ({
    version, release, usual: version === root?.python, installed: installed.has(version), url, sha256,
  })); // prettier-ignore
  const usual = root === null ? 'that of this machine' : `Python ${root.python} of the sandbox root`;
  const state = (one: (typeof found)[number]): string => {
    if (one.usual) return 'in the sandbox root';
    return one.installed ? 'installed' : 'installed when a service asks for it';
  };
  const rows = found.map((one) => [one.version, one.usual ? '' : one.release, state(one), one.usual ? '' : one.url]);
  outputOf(shell, options).result(
    `${table(['PYTHON', 'RELEASE', '', 'FROM'], rows)}\n\nA service that asks for none gets ${usual}.`,
    { usual: root?.python ?? null, pythons: found },
  );
}

/** Attacks the sandbox. The attacks are imported only here: nothing else of ket runs code on this machine. */
async function sandbox(shell: Shell, options: SandboxOptions): Promise<void> {
  const escapes = await loadEscapes();
  const { only } = options;
  const unknown = only?.find((name) => !escapes.HOSTILE.some((hostile) => hostile.name === name));
  if (unknown !== undefined)
    throw usageFailure(
      `There is no program "${unknown}". There are: ${escapes.HOSTILE.map(({ name }) => name).join(', ')}.`,
    );
  const output = outputOf(shell, options);
  const drivers = await driversOf(shell, options, escapes);
  const findings: Finding[] = [];
  for (const { how, open } of drivers.found) {
    const driver = await open();
    try {
      const total = escapes.countFor(driver, only);
      let done = 0;
      output.progress(`${how}: 0 of ${total} hostile programs`);
      const onFinding = ({ name }: Finding): void => output.progress(`${driver.name}: ${++done} of ${total}: ${name}`);
      findings.push(...(await escapes.attack(driver, onFinding, only ?? null)));
    } finally {
      // The findings count, whatever stays behind.
      await driver
        .close()
        .catch((error: unknown) => output.note(`The check could not be cleaned up: ${String(error)}`));
    }
  }
  output.settle();
  const rows = findings.map(({ driver, contained, name, tries, faults }) => [
    contained ? 'contained' : 'NOT CONTAINED',
    driver,
    name,
    contained ? tries : `${tries}: ${faults.slice(0, 3).join('; ')}`,
  ]);
  const escaped = findings.filter(({ contained }) => !contained).length;
  const how = [...drivers.found.map((one) => one.how), ...drivers.missing].join('; ');
  output.result(
    `${table(['', 'DRIVER', 'PROGRAM', 'WHAT IT TRIES'], rows)}\n\n` +
      (escaped === 0
        ? `All ${findings.length} hostile programs were contained (${how}).`
        : `${escaped} of ${findings.length} hostile programs were NOT contained (${how}).`),
    { how, findings },
  );
  if (escaped > 0) endWith(shell, 'failed');
}

/** The sandbox, and containers if there is an engine. `missing` says why containers are not tried. */
async function driversOf(
  shell: Shell,
  {
    data = shell.environment['KETHUB_DATA_DIR'],
    engine = shell.environment['KETHUB_CONTAINER_ENGINE'] ?? 'auto',
  }: SandboxOptions,
  escapes: Escapes,
): Promise<{ found: Driver[]; missing: string[] }> {
  const check = await escapes.checkSandbox();
  if (!check.usable) throw usageFailure(`No code can be run on this machine: ${check.reason}`, check.remedy);
  const parent = data && path.resolve(shell.folder, data);
  const runtimeDir = path.resolve(shell.folder, data ?? '.', 'runtime');
  const own = data !== undefined && escapes.currentRoot(runtimeDir) !== null;
  const roots = own ? escapes.rootsIn(runtimeDir) : null;
  const sandboxes: Driver = {
    how: `${check.how}, ${own ? 'with a root of its own' : "with a part of this machine's /usr"}`,
    open: () => escapes.openSandboxDriver(parent, roots),
  };
  const socket = engine === 'auto' ? escapes.usualEngine() : engine;
  if (socket === undefined || socket === 'off')
    return { found: [sandboxes], missing: ['containers were not tried: no engine'] };
  const containers = await escapes.checkContainers(socket);
  if (!containers.usable) throw usageFailure(`No container can be run: ${containers.reason}`, containers.remedy);
  const open = (): Promise<EscapeDriver> => escapes.openContainerDriver(socket, parent, roots);
  return { found: [sandboxes, { how: containers.how, open }], missing: [] };
}
