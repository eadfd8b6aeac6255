import type { ProviderAccessToken } from '@kethub/contract';
import type { Command } from 'commander';
import { usageFailure } from '../failures.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { askHidden, readSecretLine } from '../terminal/prompt.ts';
import { table } from '../terminal/table.ts';

interface SetOptions extends CommonOptions {
  readonly serviceIdentifier?: string;
  readonly tokenStdin?: boolean;
}

/** Credentials at providers of quantum computers. */
export function addProviderToken(program: Command, shell: Shell): void {
  const command = program
    .command('provider-token')
    .description('manage your credentials at providers of quantum computers, which services can use');
  addCommand(command, 'set <provider>', 'set or replace the token for a provider, such as IBM_QUANTUM or IONQ')
    .option('--service-identifier <id>', 'the CRN of the instance, for IBM_QUANTUM')
    .option('--token-stdin', 'read the API key from standard input')
    .action((provider: string, options: SetOptions) => set(shell, provider, options));
  addCommand(command, 'list', 'list your tokens, without their API keys').action((options: CommonOptions) =>
    list(shell, options),
  );
  addCommand(command, 'delete <provider>', 'delete the token for a provider').action(
    (provider: string, options: CommonOptions) => remove(shell, provider, options),
  );
}

/** The platform refuses any other name. */
type Provider = ProviderAccessToken['provider'];

async function set(shell: Shell, provider: string, options: SetOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const { serviceIdentifier } = options;
  const apiKey = await keyOf(shell, options);
  const token = await platform.setProviderAccessToken({
    provider: provider as Provider,
    json: {
      apiKey,
      ...(serviceIdentifier !== undefined && { serviceIdentifier }),
    },
  });
  outputOf(shell, options).result(`${token.name}: ${token.environmentVariables.join(', ')}`, token);
}

function keyOf(shell: Shell, { tokenStdin }: SetOptions): Promise<string> {
  if (tokenStdin === true) return readSecretLine(shell, '--token-stdin');
  if (shell.stdin.isTTY) return askHidden(shell, 'API key: ');
  throw usageFailure(
    'There is no terminal to ask for the API key on.',
    'ket provider-token set <provider> --token-stdin',
  );
}

async function list(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const tokens = await platform.listProviderAccessTokens();
  const output = outputOf(shell, options);
  if (tokens.length === 0) output.note('None.');
  const rows = tokens.map((one) => [one.provider, one.hint, one.serviceIdentifier ?? '', one.updatedAt]);
  const text = tokens.length === 0 ? '' : table(['PROVIDER', 'KEY', 'SERVICE IDENTIFIER', 'SET (UTC)'], rows);
  output.result(text, tokens);
}

async function remove(shell: Shell, provider: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  await platform.deleteProviderAccessToken({ provider: provider as Provider });
  outputOf(shell, options).result(`${provider} is deleted.`, { provider });
}
