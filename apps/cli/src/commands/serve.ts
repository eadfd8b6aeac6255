import path from 'node:path';
import { Option, type Command } from 'commander';
import { findProject } from '../project/find.ts';
import { serveModes } from '../serve/modes.ts';
import type { ServeOptions } from '../serve/serve.ts';
import { addCommand, outputOf, portNumber, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { Interrupted, interruptible } from '../terminal/interrupt.ts';

/** The port at which a debugger is waited for, unless another one is named. */
const DEBUG_PORT = 5678;

interface CommandOptions extends CommonOptions, Omit<ServeOptions, 'debug'> {
  readonly debug?: true | number;
}

export function addServe(program: Command, shell: Shell): void {
  addCommand(
    program,
    'serve [folder]',
    'run a service on this machine, without a platform, and reload it when it is saved',
  )
    .option('--port <number>', 'the port, which must be free (default: 8081, or the next that is free)', portNumber)
    .option('--host <address>', 'the address to listen at (default: 127.0.0.1)')
    .option('--allow-remote', 'let other machines call, who can then run code here as you')
    .option('--cors <origin>', 'let pages of this origin call, or * for all')
    .option('--strict', 'status objects as the gateway has them, without created_at, started_at and ended_at')
    .addOption(
      new Option('--mode <mode>', 'isolation of the code (default: the first that works here)').choices(serveModes),
    )
    .option(
      '--python <interpreter>',
      'the Python of an environment (default: the active one, .venv, venv, else ket makes one)',
    )
    .option('--image <name>', 'the image for the mode engine (default: python:<version>-slim)')
    .option('--network <name>', "the engine's network for packages, builds and declared hosts (default: its own)")
    .option('--env-file <file...>', 'variables for the code, in place of .env')
    .option('--inherit-env', 'pass on the variables of this shell')
    .option('--secret <name=source...>', 'a secret, from a file (name=@file) or the environment (name=VARIABLE)')
    .option('--data-pool <parameter=folder...>', 'a folder that stands for a data pool')
    .option('--write-pools', 'let the code change these folders (default: it gets copies)')
    .option('--debug [port]', `wait for a debugger in each execution (default: ${DEBUG_PORT})`, portNumber)
    .option('--at-once <number>', 'executions that run at the same time (default: 4)', positiveInteger)
    .option('--quiet', 'do not show the logs of executions')
    .addHelpText(
      'after',
      `
The server has the operations of the gateway at its address, and below any service path, such as /me/service/1.0.0/.
POST /token gives a token to any key pair; bearers are not checked. Open the address in a browser to try the service.
Modes: sandbox runs code as the platform does; namespace shows /var/runtime to the code only; paths lets Python map it.
In namespace and paths, code runs as you and may do what you may do, without a limit of memory. engine runs it in a
container of Docker or Podman, on request. Services with a Dockerfile always run that way, and are built at each save.
Executions are kept in .kethub/serve and survive a restart. Secrets come with a request, from --secret or .env.secrets.`,
    )
    .action((folder: string | undefined, options: CommandOptions) => serve(shell, folder, options));
}

async function serve(shell: Shell, wanted: string | undefined, options: CommandOptions): Promise<void> {
  const output = outputOf(shell, options);
  const folder =
    wanted === undefined ? ((await findProject(shell.folder)) ?? shell.folder) : path.resolve(shell.folder, wanted);
  const { debug, ...rest } = options;
  const { serveFolder } = await import('../serve/serve.ts');
  const port = debug === true ? DEBUG_PORT : debug;
  try {
    await interruptible(async (signal) => {
      const served = await serveFolder(shell, output, folder, { ...rest, ...(port !== undefined && { debug: port }) });
      try {
        const { url, mode, about, environment } = served;
        output.note(`${output.style.bold(url)} ${path.basename(folder)}, mode ${mode}: ${about}. ${environment}.`);
        await served.start();
        output.item('', { url, mode, about, environment, folder });
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => {
            resolve();
          });
        });
      } finally {
        await served.close();
      }
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
}
