import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { credentialsOf } from '../platform/session.ts';
import type { Shell } from '../shell.ts';

/**
 * Gives Git the token of ket as the password of the platform, and of no other host. It speaks the protocol of
 * gitcredentials(7): lines of `name=value` on standard input and output.
 */
export function addCredentialHelper(program: Command, shell: Shell): void {
  program
    .command('credential-helper <operation>')
    .description('give Git the token of ket, as a credential helper')
    .addHelpText(
      'after',
      `
Git calls it after:
  git config --global credential.<platform>.helper '!ket credential-helper'`,
    )
    .action((operation: string) => answer(shell, operation));
}

async function answer(shell: Shell, operation: string): Promise<void> {
  // Git also reports which credentials it has used. ket keeps its own.
  if (operation !== 'get') return;
  const asked = new Map(
    (await text(shell.stdin)).split('\n').map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/=(.*)/s);
      return [name, value];
    }),
  );
  const { url, accessToken } = await credentialsOf(shell);
  const { protocol, host } = new URL(url);
  if (`${asked.get('protocol')}:` !== protocol || asked.get('host') !== host) return;
  shell.stdout.write(`username=ket\npassword=${accessToken}\n`);
}
