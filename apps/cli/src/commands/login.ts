import { type Command, Option } from 'commander';
import { usageFailure } from '../failures.ts';
import { forgetCredentials, readCredentials, storeCredentials } from '../platform/credentials.ts';
import { apiUrl, defaultUrl, platformUrl } from '../platform/session.ts';
import { openLoginSession, revoke, signIn, type SignInOptions } from '../platform/sign-in.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';

const usernameOption = () => new Option('--username <name>', 'sign in with user name and password');
const passwordOption = () => new Option('--password-stdin', 'read the password from the first line of standard input');
const browserOption = () =>
  new Option('--browser', 'sign in through the browser, even if none can be opened from here');

interface LoginOptions extends CommonOptions, SignInOptions {}

export function addLogin(program: Command, shell: Shell): void {
  addCommand(program, 'login [address]', 'sign in to a platform')
    .addOption(usernameOption())
    .addOption(passwordOption())
    .addOption(browserOption())
    .option(
      '--token',
      'sign in with a personal access token: ket asks for it, or reads the first line of standard input',
    )
    .addHelpText(
      'after',
      `
The address is the one used before, or ${defaultUrl}. Without options ket opens the browser where there is one, and
asks for user name and password elsewhere. It then makes a personal access token of its own and keeps that; the
password is not kept.

KET_TOKEN and KET_URL in the environment replace the stored credentials: no login is needed, for example in CI.`,
    )
    .action((address: string | undefined, options: LoginOptions) => login(shell, address, options));
}

async function login(shell: Shell, address: string | undefined, options: LoginOptions): Promise<void> {
  if (address?.startsWith('ket_'))
    throw usageFailure(
      'Credentials are not taken from the command line, where others on this machine can read them.',
      'ket login --token    (asks for it)',
      'ket login --token < token.txt',
    );
  const output = outputOf(shell, options);
  const previous = await readCredentials(shell);
  const url = platformUrl(address ?? shell.environment['KET_URL'] ?? previous?.url ?? defaultUrl);
  const { credentials, session } = await signIn(shell, output, url, options);
  const { username } = credentials;
  const again = previous?.url === url && previous.username === username ? previous : null;
  await storeCredentials(shell, { ...credentials, organizationId: again?.organizationId ?? null });
  if (session && again?.accessTokenId) await revoke(session, again.accessTokenId);
  output.note(output.style.green(`Signed in to ${url} as ${username}.`));
  if (shell.environment['KET_TOKEN']) output.note('KET_TOKEN is set and goes before what was kept just now.');
  output.result('', { url, username });
}

interface LogoutOptions extends LoginOptions {
  readonly revoke?: boolean;
  readonly everywhere?: boolean;
}

export function addLogout(program: Command, shell: Shell): void {
  addCommand(program, 'logout', 'delete the stored credentials')
    .option('--revoke', 'also delete the access token on the platform; this needs one more sign-in')
    .option('--everywhere', 'also end the sessions of all your browsers and programs; this needs one more sign-in')
    .addOption(usernameOption())
    .addOption(passwordOption())
    .addOption(browserOption())
    .action((options: LogoutOptions) => logout(shell, options));
}

async function logout(shell: Shell, options: LogoutOptions): Promise<void> {
  const output = outputOf(shell, options);
  const credentials = await readCredentials(shell);
  const made = credentials?.accessTokenId ?? null;
  const revoked = options.revoke === true && credentials !== null && made !== null;
  const ends = options.everywhere === true && credentials !== null;
  const session = revoked || ends ? await openLoginSession(shell, output, credentials.url, options) : null;
  if (session && revoked) await revoke(session, made);
  if (session && ends) await session.endSessions();
  await forgetCredentials(shell);
  output.note(credentials ? `Signed out of ${credentials.url}.` : 'Nobody was signed in.');
  if (credentials && made !== null && !revoked)
    output.note(
      `The access token that ket made still exists. With a login session: DELETE ${apiUrl(credentials.url)}/me/access-tokens/${made}`,
    );
  output.result('', { url: credentials?.url ?? null, revoked });
}
