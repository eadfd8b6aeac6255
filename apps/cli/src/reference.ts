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
    'All of them take `--help`. With `--json`, all but `ket completion` and `ket credential-helper` print JSON on standard output.',
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

/** The options that most commands have. The page explains them once. */
const common = ['--json', '--help'];

/** Usage and description on a line, then what is peculiar to the command. A group is followed by its commands. */
function section(command: Command): string {
  const isGroup = command.commands.length > 0;
  // Wide enough that the help breaks no line: the page breaks its lines itself.
  command.configureHelp({ helpWidth: 200 });
  const { visibleOptions } = command.createHelp();
  command.configureHelp({
    visibleOptions: (one) =>
      visibleOptions.call(command.createHelp(), one).filter(({ long }) => !common.includes(long ?? '')),
    ...(isGroup && { visibleCommands: () => [] }),
  });
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 200 });
  command.outputHelp();
  const [usage = '', description = '', ...rest] = help.trim().replace('Usage: ', '').split('\n\n');
  const line = isGroup ? description : `\`${usage}\`: ${description}`;
  const more = rest.length > 0 ? [`\`\`\`text\n${rest.join('\n\n')}\n\`\`\``] : [];
  return [`### ${fullName(command)}`, line, ...more].join('\n\n');
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}
