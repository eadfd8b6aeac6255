import { Option, type Command } from 'commander';
import type { TestOptions } from '../cases/run.ts';
import { serveModes } from '../serve/modes.ts';
import { addCommand, type Shell } from '../shell.ts';

export function addTest(program: Command, shell: Shell): void {
  addCommand(program, 'test [folder]', 'run the cases of a service on this machine, and compare their results')
    .option('--remote', 'run them on the platform, as ket run does (default: on this machine, as ket serve does)')
    .option('--exact', 'refuse members of a result that expected.json does not have')
    .option('--update', 'write the results into expected.json instead of comparing them')
    .option('--junit <file>', 'write a report in the form of JUnit')
    .addOption(new Option('--mode <mode>', 'isolation of the code, see ket serve').choices(serveModes))
    .option('--python <interpreter>', 'the Python of an environment, see ket serve')
    .option('--image <name>', 'the image for the mode engine, see ket serve')
    .option('--network <name>', "the engine's network, see ket serve")
    .option('--env-file <file...>', 'variables for the code, in place of .env')
    .option('--inherit-env', 'pass on the variables of this shell')
    .option('--secret <name=source...>', 'a secret, from a file (name=@file) or the environment (name=VARIABLE)')
    .option('--data-pool <parameter=folder...>', 'a folder that stands for a data pool')
    .addHelpText(
      'after',
      `
A case is a folder test/<case> with input.json, and where wanted expected.json and options.json. The folder input/ is the
case default; its expected result is test/default/expected.json. Without expected.json, SUCCEEDED is enough.
options.json: {"tolerance": 1e-9, "ignore": ["/elapsed"], "status": "FAILED", "problem": "ValueError"}.
Members that expected.json does not have are not compared. The exit code is 1 when a case is not as expected.`,
    )
    .action(async (folder: string | undefined, options: TestOptions) => {
      const { runCases } = await import('../cases/run.ts');
      await runCases(shell, folder, options);
    });
}
