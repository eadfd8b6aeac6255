import { InvalidArgumentError, type Command } from 'commander';
import { exitCodes, type Outcome } from './failures.ts';
import { createOutput, type Output } from './terminal/output.ts';

/** The environment of one run of `ket`. */
export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Current folder. */
  readonly folder: string;
  /** The command with which ket was called, for hints. */
  readonly command: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  exitCode: number;
  /** The value of `--in`. */
  organization?: string | undefined;
  /** The value of `--profile`. */
  profile?: string | undefined;
}

/** The shell of this process. `npm run` changes into its own folder; INIT_CWD is the user's. */
export function shellOfProcess(): Shell {
  const { env: environment, stdin, stdout, stderr } = process;
  const byNpm = environment['npm_lifecycle_event'] === 'ket' && environment['npm_package_name'] === 'kethub';
  return {
    environment,
    folder: (byNpm ? environment['INIT_CWD'] : undefined) ?? process.cwd(),
    command: byNpm ? 'npm run ket --' : 'ket',
    stdin,
    stdout,
    stderr,
    exitCode: exitCodes.success.code,
  };
}

export interface CommonOptions {
  readonly json?: boolean;
}

/** Adds a command to `ket`, with the option that all commands have. */
export function addCommand(program: Command, nameAndArguments: string, description: string): Command {
  return program.command(nameAndArguments).description(description).option('--json', 'print JSON on standard output');
}

/** The output of a command, in the form that its options name. */
export function outputOf(shell: Shell, options: CommonOptions): Output {
  return createOutput({ ...shell, json: options.json === true });
}

/** A command of `ket` to type next, with the folder as the user wrote it, if at all. */
export function commandFor(shell: Shell, command: string, folder?: string): string {
  const words = folder === undefined ? [command] : [command, quoted(folder)];
  return [shell.command, ...words].join(' ');
}

/** Quotes an argument for a shell. */
export function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}

/** Sets the exit code of this outcome, although the command itself has done its work. */
export function endWith(shell: Shell, outcome: Outcome): void {
  shell.exitCode = exitCodes[outcome].code;
}

/** The value of an option that takes a whole number of at least 1. */
export function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

/** The value of an option that takes a port. */
export function portNumber(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('A port is a whole number from 1 to 65535.');
}
