import type { Application, Subscription } from '@kethub/contract';
import type { Command } from 'commander';
import { CliFailure } from '../failures.ts';
import { selectApplication } from '../platform/select-application.ts';
import { findServiceId, splitVersion, subscriptionsTo } from '../platform/select-service.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Subscriptions of applications: the services that they may call. */
export function addAppSubscriptions(app: Command, shell: Shell): void {
  addCommand(app, 'subscriptions <application>', 'list the services that an application calls').action(
    (wanted: string, options: CommonOptions) => list(shell, wanted, options),
  );
  addCommand(app, 'subscribe <application> <service>', 'subscribe an application to a service, or name@version')
    .option('--plan <plan>', 'id of the pricing plan, for a service of the marketplace (an id)')
    .addHelpText('after', '\nWithout a version, the newest published one.')
    .action((wanted: string, service: string, options: CommonOptions & { plan?: string }) =>
      subscribe(shell, wanted, service, options),
    );
  addCommand(app, 'templates <application>', "print its services as element templates for Camunda's desktop modeler")
    .addHelpText('after', '\nSave them as a file below resources/element-templates of the modeler.')
    .action((wanted: string, options: CommonOptions) => templates(shell, wanted, options));
  addCommand(
    app,
    'unsubscribe <application> <service>',
    'end the subscription to a service, or to name@version',
  ).action((wanted: string, service: string, options: CommonOptions) => unsubscribe(shell, wanted, service, options));
}

async function list(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const { id, name } = await selectApplication(platform, wanted);
  const all = await platform.listSubscriptions({ applicationId: id });
  const output = outputOf(shell, options);
  if (all.length === 0) output.note(`The application "${name}" has subscribed to nothing.`);
  const rows = all.map((one) => [one.id, `${one.serviceName}@${one.version}`, one.basis, one.endpoint]);
  output.result(all.length === 0 ? '' : table(['SUBSCRIPTION', 'SERVICE', 'BASIS', 'ADDRESS'], rows), all);
}

async function templates(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const { id } = await selectApplication(platform, wanted);
  const all = await platform.listElementTemplates({ applicationId: id });
  outputOf(shell, options).result(JSON.stringify(all, null, 2), all);
}

async function subscribe(
  shell: Shell,
  wanted: string,
  service: string,
  { plan, ...options }: CommonOptions & { plan?: string },
): Promise<void> {
  const session = await openSession(shell);
  const { id } = await selectApplication(session.platform, wanted);
  const { name, version } = splitVersion(service);
  const serviceId = UUID.test(name) ? name : await findServiceId(session, service);
  const made = await session.platform.subscribe({
    applicationId: id,
    json: { serviceId, ...(version !== undefined && { version }), ...(plan !== undefined && { pricingPlanId: plan }) },
  });
  const output = outputOf(shell, options);
  output.note(`Subscribed to ${made.serviceName}@${made.version}. Its address:`);
  output.result(made.endpoint, made);
}

async function unsubscribe(shell: Shell, wanted: string, service: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const application = await selectApplication(session.platform, wanted);
  const ended = await subscriptionsMeant(session, application, service);
  for (const { id } of ended) await session.platform.unsubscribe({ applicationId: application.id, subscriptionId: id });
  const names = ended.map((one) => `${one.serviceName}@${one.version}`).join(', ');
  outputOf(shell, options).result(`"${application.name}" no longer calls ${names}.`, ended);
}

async function subscriptionsMeant(
  { platform }: Session,
  application: Application,
  service: string,
): Promise<Subscription[]> {
  const all = await platform.listSubscriptions({ applicationId: application.id });
  const byId = all.filter(({ id }) => id === service);
  const meant = byId.length > 0 ? byId : subscriptionsTo(all, service);
  if (meant.length > 0) return meant;
  const known = all.map((one) => `${one.serviceName}@${one.version}`).join(', ');
  throw new CliFailure(
    'notFound',
    'not-subscribed',
    `The application "${application.name}" has not subscribed to "${service}".${known === '' ? '' : ` It calls: ${known}.`}`,
    [`ket app subscriptions ${application.id}`],
  );
}
