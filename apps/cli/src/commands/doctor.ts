import path from 'node:path';
import type { Command } from 'commander';
import { addCommand, endWith, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { usageFailure } from '../failures.ts';
import { table } from '../terminal/table.ts';

interface SandboxOptions extends CommonOptions {
  readonly data?: string;
  readonly only?: string[];
}

/** Checks of the machine that ket runs on. */
export function addDoctor(program: Command, shell: Shell): void {
  const doctor = program.command('doctor').description('check the machine that Kethub runs on');
  addCommand(doctor, 'sandbox', 'start hostile programs here, and show what held them')
    .option(
      '--data <folder>',
      'with the disk and the sandbox root of this data folder (default: the folder for temporary files)',
    )
    .option('--only <names...>', 'only these programs')
    .action((options: SandboxOptions) => sandbox(shell, options));
}

/** Loaded only here: nothing else of ket runs code on this machine. */
async function sandbox(shell: Shell, { data, only, ...options }: SandboxOptions): Promise<void> {
  const { attack, checkSandbox, currentRoot, HOSTILE, openSandboxDriver, rootsIn } =
    await import('@kethub/runtime/escapes');
  const unknown = only?.find((name) => !HOSTILE.some((hostile) => hostile.name === name));
  if (unknown !== undefined)
    throw usageFailure(`There is no program "${unknown}". There are: ${HOSTILE.map(({ name }) => name).join(', ')}.`);
  const check = await checkSandbox();
  if (!check.usable) throw usageFailure(`No code can be run on this machine: ${check.reason}`, check.remedy);
  const output = outputOf(shell, options);
  const runtimeDir = path.resolve(shell.folder, data ?? '.', 'runtime');
  const own = data !== undefined && currentRoot(runtimeDir) !== null;
  const how = `${check.how}, ${own ? 'with a root of its own' : "with a part of this machine's /usr"}`;
  const driver = await openSandboxDriver(data && path.resolve(shell.folder, data), own ? rootsIn(runtimeDir) : null);
  try {
    const total = only?.length ?? HOSTILE.length;
    let done = 0;
    output.progress(`0 of ${total} hostile programs`);
    const findings = await attack(
      driver,
      ({ name }) => output.progress(`${++done} of ${total}: ${name}`),
      only ?? null,
    );
    output.settle();
    const rows = findings.map(({ held, name, tries, faults }) => [
      held ? 'held' : 'NOT HELD',
      driver.name,
      name,
      held ? tries : `${tries}: ${faults.slice(0, 3).join('; ')}`,
    ]);
    const loose = findings.filter(({ held }) => !held).length;
    output.result(
      `${table(['', 'DRIVER', 'PROGRAM', 'WHAT IT TRIES'], rows)}\n\n` +
        (loose === 0 ? `All ${findings.length} held (${how}).` : `${loose} of ${findings.length} were NOT held.`),
      { how, findings },
    );
    if (loose > 0) endWith(shell, 'failed');
  } finally {
    await driver.close();
  }
}
