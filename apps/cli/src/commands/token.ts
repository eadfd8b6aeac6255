import type { PlatformClient } from '@kethub/client';
import type { AccessTokenScope } from '@kethub/contract';
import { type Command, Option } from 'commander';
import { CliFailure, usageFailure } from '../failures.ts';
import { isMeant } from '../platform/select-service.ts';
import { addressOf, organizationOf } from '../platform/session.ts';
import { openLoginSession, type SignInOptions } from '../platform/sign-in.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

type Operation = AccessTokenScope['operations'][number];

interface CreateOptions extends CommonOptions, SignInOptions {
  readonly for?: (keyof typeof purposes)[];
  readonly operation?: string[];
  readonly service?: string[];
  readonly expires?: string;
}

/** Operations that a purpose takes. */
const purposes = {
  deploy: ['service:list', 'service:read', 'service:change', 'service:publish'],
  run: ['service:list', 'service:read', 'execution:start', 'execution:list', 'execution:read', 'execution:cancel'],
} as const satisfies Record<string, readonly Operation[]>;

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;

/** Personal access tokens. The platform shows and changes them in a login session only. */
export function addToken(program: Command, shell: Shell): void {
  const token = program
    .command('token')
    .description('manage personal access tokens, also limited ones for continuous integration')
    .addHelpText('after', '\nEach command signs you in: an access token cannot manage access tokens.');
  const add = (name: string, description: string) =>
    addCommand(token, name, description)
      .option('--username <name>', 'sign in with user name and password')
      .option('--password-stdin', 'read the password from the first line of standard input')
      .option('--browser', 'sign in through the browser, even if none can be opened from here');
  add('create <name>', 'create a token and print it; it is shown only now')
    .addOption(
      new Option('--for <purpose...>', 'limit it to what ket up (deploy) or ket run --job (run) needs').choices(
        Object.keys(purposes),
      ),
    )
    .option('--operation <operation...>', 'limit it to these operations, such as service:publish')
    .option('--service <service...>', 'limit it to these services of yours, and their executions')
    .option('--expires <time>', `last day: a date, or a number of days such as 30d (default: ${DEFAULT_DAYS}d)`)
    .addHelpText(
      'after',
      `
A token without limits may do everything that you may, in every organization. A limited one acts for you, or with --in for
one organization, and ends after at most 366 days. In continuous integration:
  ket token create ci --for deploy --service max-cut --expires 90d
  KET_URL=<address> KET_TOKEN=<token> ket up`,
    )
    .action((name: string, options: CreateOptions) => create(shell, name, options));
  add('list', 'list your tokens and their limits, without their values').action(
    (options: CommonOptions & SignInOptions) => list(shell, options),
  );
  add('delete <token>', 'delete a token (an id, or a name that only one has); it is invalid at once').action(
    (wanted: string, options: CommonOptions & SignInOptions) => remove(shell, wanted, options),
  );
}

async function create(shell: Shell, name: string, options: CreateOptions): Promise<void> {
  const output = outputOf(shell, options);
  const operations = [...(options.for ?? []).flatMap((one) => purposes[one]), ...(options.operation ?? [])];
  if (options.service !== undefined && operations.length === 0)
    throw usageFailure('--service limits a token further: name what it may do with --for or --operation.');
  const isLimited = operations.length > 0;
  const expiresAt = isLimited || options.expires !== undefined ? dayOf(options.expires ?? `${DEFAULT_DAYS}d`) : null;
  const organizationId = await organizationOf(shell);
  const platform = await openLoginSession(shell, output, await addressOf(shell), options, organizationId);
  const serviceIds = options.service && (await idsOf(platform, options.service));
  const scope: AccessTokenScope = {
    // The platform names what is no operation.
    operations: [...new Set(operations)] as Operation[],
    organizationId,
    ...(serviceIds && { serviceIds }),
  };
  const made = await platform.createAccessToken({ json: { name, expiresAt, ...(isLimited && { scope }) } });
  output.note(
    isLimited
      ? `This token may do ${scope.operations.join(', ')}, until ${String(expiresAt)}. It is shown only now:`
      : 'This token may do everything that you may. It is shown only now:',
  );
  output.result(made.value ?? '', made);
}

async function list(shell: Shell, options: CommonOptions & SignInOptions): Promise<void> {
  const output = outputOf(shell, options);
  const platform = await openLoginSession(shell, output, await addressOf(shell), options);
  const { accessTokens } = await platform.listAccessTokens();
  if (accessTokens.length === 0) output.note('None.');
  const rows = accessTokens.map((one) => [one.id, one.name, one.usedAt ?? 'never', one.expiresAt ?? '', limitsOf(one)]);
  const header = ['TOKEN', 'NAME', 'USED (UTC)', 'LAST DAY', 'LIMITS'];
  output.result(accessTokens.length === 0 ? '' : table(header, rows), accessTokens);
}

function limitsOf({ scope }: Awaited<ReturnType<PlatformClient['createAccessToken']>>): string {
  if (!scope) return 'none';
  const { operations, organizationId, serviceIds } = scope;
  const owner = organizationId ? ` for ${organizationId}` : '';
  return `${operations.join(' ')}${owner}${serviceIds ? ` on ${serviceIds.join(' ')}` : ''}`;
}

async function remove(shell: Shell, wanted: string, options: CommonOptions & SignInOptions): Promise<void> {
  const output = outputOf(shell, options);
  const platform = await openLoginSession(shell, output, await addressOf(shell), options);
  const { accessTokens } = await platform.listAccessTokens();
  const [found, other] = accessTokens.filter(({ id, name }) => id === wanted || name === wanted);
  if (!found) throw new CliFailure('notFound', 'not-found', `You have no token "${wanted}".`, ['ket token list']);
  if (other) throw usageFailure(`More than one token is named "${wanted}". Name one by its id.`, 'ket token list');
  await platform.deleteAccessToken({ id: found.id });
  output.result(`The token "${found.name}" is deleted.`, { id: found.id, name: found.name });
}

async function idsOf(platform: PlatformClient, wanted: readonly string[]): Promise<string[]> {
  const own = await platform.listServices();
  return wanted.map((name) => {
    const found = own.find((one) => isMeant(name, one.id, one.name, one.slug));
    if (found) return found.id;
    throw new CliFailure('notFound', 'service-not-found', `You have no service "${name}".`, ['ket services']);
  });
}

/** A day from a date, or from a number of days from now. */
function dayOf(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  const [, days] = /^([1-9]\d{0,3})d$/.exec(text) ?? [];
  if (days === undefined)
    throw usageFailure('--expires takes a date such as 2030-01-31, or a number of days such as 30d.');
  return new Date(Date.now() + Number(days) * DAY_MS).toISOString().slice(0, 10);
}
