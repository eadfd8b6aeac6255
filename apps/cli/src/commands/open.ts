import type { Command } from 'commander';
import { findExecution } from '../platform/find-execution.ts';
import { openBrowser, hasBrowser } from '../platform/browser.ts';
import { isMeant } from '../platform/select-service.ts';
import { openSession, type Session } from '../platform/session.ts';
import { findProject } from '../project/find.ts';
import { requireManifest } from '../project/manifest.ts';
import { CliFailure } from '../failures.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';

interface OpenOptions extends CommonOptions {
  readonly print?: boolean;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The pages of the dashboard. */
export function addOpen(program: Command, shell: Shell): void {
  addCommand(program, 'open [service|execution]', 'open the page of a service or an execution in the dashboard')
    .option('--print', 'print the address only')
    .addHelpText(
      'after',
      `
Without an argument it is the service of the current folder, or the start page. An execution is named by its id or as
last.`,
    )
    .action((wanted: string | undefined, options: OpenOptions) => open(shell, wanted, options));
}

async function open(shell: Shell, wanted: string | undefined, { print, ...options }: OpenOptions): Promise<void> {
  const session = await openSession(shell);
  const context = session.organizationId === null ? 'me' : `org/${session.organizationId}`;
  const url = `${session.url}/${context}${await pageOf(shell, session, wanted)}`;
  const output = outputOf(shell, options);
  if (print !== true && hasBrowser(shell.environment)) openBrowser(shell.environment, url, output);
  output.result(url, { url });
}

async function pageOf(shell: Shell, session: Session, wanted: string | undefined): Promise<string> {
  if (wanted === undefined) return pageOfFolder(shell, session);
  if (wanted === 'last') return `/executions/${(await findExecution(shell, session, wanted)).id}`;
  const service = await pageOfService(session, wanted);
  if (service !== null) return service;
  const next = ['ket services', 'ket list    (executions have an id)'];
  if (!UUID.test(wanted))
    throw new CliFailure('notFound', 'service-not-found', `No service "${wanted}" is yours or shared with you.`, next);
  try {
    return `/executions/${(await findExecution(shell, session, wanted)).id}`;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.outcome !== 'notFound') throw error;
    throw new CliFailure(
      'notFound',
      'not-found',
      `No service and no execution ${wanted} is yours or shared with you.`,
      next,
    );
  }
}

async function pageOfFolder(shell: Shell, session: Session): Promise<string> {
  const folder = await findProject(shell.folder);
  if (folder === null) return '';
  return (await pageOfService(session, (await requireManifest(folder)).name)) ?? '/services';
}

async function pageOfService({ platform }: Session, wanted: string): Promise<string | null> {
  const [own, shared] = await Promise.all([platform.listServices(), platform.listSharedServices()]);
  const meant = (one: { id: string; name: string; slug: string }) => isMeant(wanted, one.id, one.name, one.slug);
  const found = own.find(meant);
  if (found) return `/services/${found.id}`;
  const opened = shared.find(meant);
  return opened ? `/shared/${opened.id}` : null;
}
