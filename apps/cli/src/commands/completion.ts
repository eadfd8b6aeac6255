import { Argument, type Command } from 'commander';
import { completionScript, shells, type CompletedShell } from '../completion/scripts.ts';
import { completionTree, nameKinds, NAMES_COMMAND, type NameKind } from '../completion/tree.ts';
import { profileNames } from '../platform/profiles.ts';
import { openSession } from '../platform/session.ts';
import type { Shell } from '../shell.ts';

/** Milliseconds that the platform has to name something while somebody types. Later answers are left out. */
const NAMES_MS = 200;

/** Completion of commands, options and names in shells. */
export function addCompletion(program: Command, shell: Shell): void {
  program
    .command('completion')
    .description('print the script that makes a shell complete commands, options and names')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
Load it when the shell starts:
  bash   echo 'source <(ket completion bash)' >> ~/.bashrc
  zsh    echo 'source <(ket completion zsh)' >> ~/.zshrc     (after compinit)
  fish   ket completion fish > ~/.config/fish/completions/ket.fish

Names of your services, applications, data pools and organizations come from the platform, if it answers within
${NAMES_MS} ms.`,
    )
    .action((name: CompletedShell) => void shell.stdout.write(completionScript(name, completionTree(program))));
  program
    .command(NAMES_COMMAND, { hidden: true })
    .addArgument(new Argument('<kind>').choices(nameKinds))
    .action(async (kind: NameKind) => {
      for (const name of await names(shell, kind)) if (isPlain(name)) shell.stdout.write(`${name}\n`);
    });
}

/** Names of a kind. Empty when nobody is signed in, or the platform does not answer in time. */
async function names(shell: Shell, kind: NameKind): Promise<string[]> {
  if (kind === 'profiles') return profileNames(shell.environment);
  try {
    const { platform } = await openSession(shell);
    const signal = AbortSignal.timeout(NAMES_MS);
    if (kind === 'services') {
      const [own, shared] = await Promise.all([
        platform.listServices({ signal }),
        platform.listSharedServices({ signal }),
      ]);
      return [...own, ...shared].map(({ slug }) => slug);
    }
    if (kind === 'applications') return (await platform.listApplications({ signal })).map(({ name }) => name);
    if (kind === 'data-pools') return (await platform.listDataPools({ signal })).map(({ name }) => name);
    return (await platform.listOrganizations({ signal })).map(({ name }) => name);
  } catch {
    // Somebody is typing: a message would stand in the middle of their line.
    return [];
  }
}

/** Returns whether a name is one word of letters that no shell gives a meaning. */
function isPlain(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}_.@-]*$/u.test(name);
}
