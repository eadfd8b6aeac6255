import type { ServiceSubscription, UsageLimitsRequest } from '@kethub/contract';
import { InvalidArgumentError, type Command } from 'commander';
import { usageFailure } from '../failures.ts';
import { requireOwnService } from '../platform/select-service.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

/** Null removes a limit. */
type Limit = number | null;

interface SetOptions extends CommonOptions {
  readonly subscription?: string;
  readonly requestsPerMinute?: Limit;
  readonly perDay?: Limit;
  readonly perMonth?: Limit;
}

/** Limits that a provider sets for the subscribers of a service. */
export function addLimits(program: Command, shell: Shell): void {
  const limits = program.command('limits').description('limit the use of your service by its subscribers');
  addCommand(limits, 'show <service>', 'list the subscriptions with their limits and their use').action(
    (service: string, options: CommonOptions) => show(shell, service, options),
  );
  addCommand(limits, 'set <service>', 'set the limits of all subscriptions to a service, or of one')
    .option('--subscription <id>', 'only this subscription (an id from `ket limits show`)')
    .option('--requests-per-minute <number>', 'requests per minute', limitOf)
    .option('--per-day <number>', 'executions per day (UTC)', limitOf)
    .option('--per-month <number>', 'executions per calendar month (UTC)', limitOf)
    .addHelpText(
      'after',
      `
Limits that you leave out stay unchanged; none removes a limit. A subscription without its own limit has that of the
service, and a service without one has that of the installation.`,
    )
    .action((service: string, options: SetOptions) => set(shell, service, options));
}

async function show(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const { platform } = session;
  const { id } = await requireOwnService(session, wanted);
  const [service, subscriptions] = [
    await platform.getServiceLimits({ serviceId: id }),
    await platform.listServiceSubscriptions({ serviceId: id }),
  ];
  const output = outputOf(shell, options);
  output.note(`Every subscription: ${inWords(service)}.`);
  if (subscriptions.length === 0) output.note('Nobody has subscribed.');
  output.result(subscriptions.length === 0 ? '' : tableOf(subscriptions), { service, subscriptions });
}

async function set(shell: Shell, wanted: string, { subscription, ...options }: SetOptions): Promise<void> {
  const { requestsPerMinute, perDay, perMonth } = options;
  if ([requestsPerMinute, perDay, perMonth].every((limit) => limit === undefined))
    throw usageFailure(
      'Which limit?',
      `ket limits set ${wanted} --per-day 100`,
      `ket limits set ${wanted} --per-day none`,
    );
  const session = await openSession(shell);
  const { platform } = session;
  const { id } = await requireOwnService(session, wanted);
  const before =
    subscription === undefined
      ? await platform.getServiceLimits({ serviceId: id })
      : await setOf(session, id, subscription);
  const limits: UsageLimitsRequest = {
    requestsPerMinute: requestsPerMinute === undefined ? before.requestsPerMinute : requestsPerMinute,
    executionsPerDay: perDay === undefined ? before.executionsPerDay : perDay,
    executionsPerMonth: perMonth === undefined ? before.executionsPerMonth : perMonth,
  };
  const now =
    subscription === undefined
      ? await platform.setServiceLimits({ serviceId: id, json: limits })
      : await platform.setSubscriptionLimits({ serviceId: id, subscriptionId: subscription, json: limits });
  const whose = subscription === undefined ? 'Every subscription' : `Subscription ${subscription}`;
  outputOf(shell, options).result(`${whose}: ${inWords(now)}.`, now);
}

async function setOf({ platform }: Session, serviceId: string, subscription: string): Promise<UsageLimitsRequest> {
  const found = (await platform.listServiceSubscriptions({ serviceId })).find(({ id }) => id === subscription);
  if (found) return found.set;
  throw usageFailure(`The service has no subscription ${subscription}.`, 'ket limits show <service>');
}

function limitOf(text: string): Limit {
  if (text === 'none') return null;
  try {
    return positiveInteger(text);
  } catch {
    throw new InvalidArgumentError('It must be a whole number of at least 1, or none.');
  }
}

function inWords({ requestsPerMinute, executionsPerDay, executionsPerMonth }: UsageLimitsRequest): string {
  const parts = [
    [requestsPerMinute, 'requests per minute'],
    [executionsPerDay, 'executions a day'],
    [executionsPerMonth, 'executions a month'],
  ] as const;
  const set = parts.flatMap(([limit, what]) => (limit === null ? [] : [`${limit} ${what}`]));
  return set.length === 0 ? 'no limit of its own' : set.join(', ');
}

function tableOf(subscriptions: readonly ServiceSubscription[]): string {
  const header = ['SUBSCRIPTION', 'VERSION', 'SUBSCRIBER', 'PER MINUTE', 'TODAY', 'THIS MONTH'];
  const used = (taken: number | null, of: number | null): string => (of === null ? '–' : `${taken ?? 0} of ${of}`);
  return table(
    header,
    subscriptions.map(({ id, version, subscriber, limits, usage }) => [
      id,
      version,
      `${subscriber.type.toLowerCase()} ${subscriber.id}`,
      limits.requestsPerMinute === null ? '–' : String(limits.requestsPerMinute),
      used(usage.executionsToday, limits.executionsPerDay),
      used(usage.executionsThisMonth, limits.executionsPerMonth),
    ]),
  );
}
