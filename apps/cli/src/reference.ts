import type { Command } from 'commander';
import { exitCodes } from './failures.ts';
import { operationsWithoutCommand } from './operations-without-command.ts';
import { withSubcommands } from './program.ts';

/** The reference of commands and exit codes in docs/cli.md, generated from the commands. */
export function reference(program: Command): string {
  const codes = Object.values(exitCodes).map(({ code, about }) => `| ${code} | ${about} |`);
  const without = Object.entries(operationsWithoutCommand).map(([id, reason]) => `| \`${id}\` | ${reason} |`);
  return [
    '## Exit codes',
    ['| Code | Meaning |', '|---|---|', ...codes].join('\n'),
    '## Commands',
    ...program
      .createHelp()
      .visibleCommands(program)
      .filter((one) => one.name() !== 'help')
      .flatMap(withSubcommands)
      .map(section),
    '## Operations without a command',
    'A command uses each operation of the platform and of the gateway, except these. A star stands for any letters.',
    ['| Operation | Reason |', '|---|---|', ...without].join('\n'),
  ].join('\n\n');
}

function section(command: Command): string {
  // Wide enough that the help breaks no line: the page breaks its lines itself.
  command.configureHelp({ helpWidth: 200 });
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 200 });
  command.outputHelp();
  return [`### ${fullName(command)}`, `\`\`\`text\n${help.trim()}\n\`\`\``].join('\n\n');
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}
