import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  categories,
  type Category,
  type ListingRequest,
  type MarketplaceService,
  type PricingPlan,
} from '@kethub/contract';
import { type Command, Option } from 'commander';
import { usageFailure } from '../failures.ts';
import { jsonOf, layOut, parseObject } from '../json.ts';
import { requireOwnService } from '../platform/select-service.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

interface SearchOptions extends CommonOptions {
  readonly category?: Category;
  readonly limit: number;
}

/** Services offered to everybody. */
export function addMarketplace(program: Command, shell: Shell): void {
  const marketplace = program
    .command('marketplace')
    .description('find services in the marketplace, and offer your own');
  addCommand(
    marketplace,
    'search [text]',
    'list offered services, newest first: all, or those whose entry contains the text',
  )
    .addOption(new Option('--category <category>', 'list only services of this category').choices(categories))
    .option('--limit <number>', 'largest number of entries', positiveInteger, 50)
    .action((text: string | undefined, options: SearchOptions) => search(shell, text, options));
  addCommand(marketplace, 'show <service>', 'show a service (an id) and its prices').action(
    (id: string, options: CommonOptions) => show(shell, id, options),
  );
  addCommand(marketplace, 'api <service>', 'show the API specification (OpenAPI) of a service (an id)').action(
    (id: string, options: CommonOptions) => specification(shell, id, options),
  );
  addCommand(marketplace, 'subscribe <service>', 'subscribe to a service (an id) on one of its pricing plans')
    .requiredOption('--plan <plan>', 'id of the pricing plan')
    .addHelpText(
      'after',
      '\nThen ket run <name> runs the service. Your prices stay as they are now until you subscribe again.',
    )
    .action((id: string, options: CommonOptions & { plan: string }) => subscribe(shell, id, options));
  addCommand(marketplace, 'publish <service>', 'offer your service, or change its offer')
    .requiredOption(
      '--file <file>',
      'JSON file with pricingPlans, version, title, summary, categories and documentation',
    )
    .addHelpText(
      'after',
      `
The version must be published (default: the newest published version). An example of the file:
  {"summary": "Cuts graphs", "categories": ["OPTIMIZATION"], "pricingPlans": [
    {"id": "free", "name": "Free", "type": "FREE"},
    {"id": "basic", "name": "Basic", "type": "COMMERCIAL", "products": [{"id": "runs", "name": "Runs",
      "metering": "EXECUTION", "unit": "run", "unitPrice": "0.05", "currency": "EUR"}]},
    {"id": "special", "name": "Special", "type": "ON_REQUEST", "contact": "sales@example.org"}]}`,
    )
    .action((service: string, options: CommonOptions & { file: string }) => publish(shell, service, options));
  addCommand(marketplace, 'unpublish <service>', 'remove your service from the marketplace').action(
    (service: string, options: CommonOptions) => unpublish(shell, service, options),
  );
}

async function search(
  shell: Shell,
  q: string | undefined,
  { category, limit, ...options }: SearchOptions,
): Promise<void> {
  const { platform } = await openSession(shell);
  // The platform's pages have at most 1,000 entries.
  const found = await platform.browseMarketplace({ q, category, limit: Math.min(limit, 1_000) });
  const output = outputOf(shell, options);
  if (found.length === 0) output.note('Nothing is offered that fits.');
  const rows = found.map((one) => [one.serviceId, one.title, one.provider.name, one.version, one.pricing.join(', ')]);
  output.result(rows.length === 0 ? '' : table(['SERVICE', 'TITLE', 'PROVIDER', 'VERSION', 'PLANS'], rows), found);
}

async function show(shell: Shell, id: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const service = await platform.getMarketplaceService({ serviceId: id });
  outputOf(shell, options).result(describe(service), service);
}

async function specification(shell: Shell, serviceId: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const document = await platform.getMarketplaceApiSpecification({ serviceId });
  outputOf(shell, options).result(layOut(jsonOf(document)), document);
}

function describe(service: MarketplaceService): string {
  const { title, version, provider, summary, description, documentation, pricingPlans, hosts = [] } = service;
  const calls = hosts.length === 0 ? '' : `Calls ${hosts.join(', ')}`;
  const texts = [summary, description, documentation, calls].filter((text) => text !== '');
  const rows = pricingPlans.flatMap(rowsOf);
  return [`${title} ${version} by ${provider.name}`, ...texts, table(['PLAN', 'NAME', 'TYPE', 'PRICE'], rows)].join(
    '\n\n',
  );
}

function rowsOf({ id, name, type, products = [], contact = '' }: PricingPlan): string[][] {
  const [first = contact, ...others] = products.map((one) => `${one.unitPrice} ${one.currency} per ${one.unit}`);
  return [[id, name, type, first], ...others.map((price) => ['', '', '', price])];
}

async function subscribe(
  shell: Shell,
  serviceId: string,
  { plan, ...options }: CommonOptions & { plan: string },
): Promise<void> {
  const { platform, application } = await openSession(shell);
  const subscription = await platform.subscribe({
    applicationId: (await application()).id,
    json: { serviceId, pricingPlanId: plan },
  });
  outputOf(shell, options).result(`Subscribed to ${subscription.serviceName}@${subscription.version}`, subscription);
}

async function publish(
  shell: Shell,
  wanted: string,
  { file, ...options }: CommonOptions & { file: string },
): Promise<void> {
  const given = await readListing(path.resolve(shell.folder, file));
  const session = await openSession(shell);
  const service = await requireOwnService(session, wanted);
  const published = service.versions.find(({ state }) => state === 'PUBLISHED');
  if (!('version' in given) && !published)
    throw usageFailure(`The service "${service.name}" has no published version yet.`, 'ket up    (in its folder)');
  // The platform checks the members, and its answer names each wrong one.
  const request = { version: published?.version ?? '', categories: [], pricingPlans: [], ...given };
  const listing = await session.platform.publishListing({ serviceId: service.id, json: request });
  outputOf(shell, options).result(`Offered: ${listing.title} ${listing.version}`, listing);
}

async function readListing(file: string): Promise<Partial<ListingRequest>> {
  try {
    const listing: object = parseObject(await readFile(file, 'utf8'), file);
    return listing;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw usageFailure(`${file} does not exist.`, 'ket marketplace publish --help');
    throw error;
  }
}

async function unpublish(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const { id } = await requireOwnService(session, wanted);
  await session.platform.unpublishListing({ serviceId: id });
  const output = outputOf(shell, options);
  output.note('It is no longer offered. Those who have subscribed keep what they have.');
  output.result('', { serviceId: id });
}
