import { openAsBlob } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { jsonOf, layOut } from '../json.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { addServiceBuilds } from './service-build.ts';
import { addServiceManagement, ownVersion } from './service-manage.ts';

interface SpecificationOptions extends CommonOptions {
  readonly upload?: string;
  readonly reset?: boolean;
}

interface RetireOptions extends CommonOptions {
  readonly sunset?: string;
  readonly undo?: boolean;
}

/** Commands on the user's services and their versions, besides uploading and running them. */
export function addService(program: Command, shell: Shell): void {
  const command = program.command('service').description('show, change and delete your services and their versions');
  addServiceManagement(command, shell);
  addServiceBuilds(command, shell);
  addCommand(command, 'api <service@version>', 'show the API specification (OpenAPI) of a version')
    .alias('api-spec')
    .option('--upload <file>', 'replace the specification of a draft with this document (JSON or YAML)')
    .option('--reset', 'restore the specification of a draft that is derived from the code')
    .action((service: string, options: SpecificationOptions) => specification(shell, service, options));
  addCommand(command, 'retire <service@version>', 'announce the time from which a version can no longer be started')
    .option('--sunset <time>', 'a time such as 2030-01-31T00:00:00Z (default: now)')
    .option('--undo', 'withdraw the announcement, before the sunset')
    .action((service: string, options: RetireOptions) => retire(shell, service, options));
}

async function specification(shell: Shell, wanted: string, options: SpecificationOptions): Promise<void> {
  const session = await openSession(shell);
  const { service, version } = await ownVersion(session, wanted);
  const { id } = service;
  const { platform } = session;
  if (options.reset === true) await platform.deleteApiSpecification({ serviceId: id, version });
  else if (options.upload !== undefined) {
    const file = path.resolve(shell.folder, options.upload);
    const media = /\.json$/i.test(file) ? 'application/json' : 'application/yaml';
    await platform.uploadApiSpecification({
      serviceId: id,
      version,
      body: await openAsBlob(file),
      headers: { 'content-type': media },
    });
  }
  const document = await platform.getApiSpecification({ serviceId: id, version });
  outputOf(shell, options).result(layOut(jsonOf(document)), document);
}

async function retire(shell: Shell, wanted: string, { sunset, undo, ...options }: RetireOptions): Promise<void> {
  const session = await openSession(shell);
  const { service, version } = await ownVersion(session, wanted);
  const { id } = service;
  const changed =
    undo === true
      ? await session.platform.withdrawRetirement({ serviceId: id, version })
      : await session.platform.retireServiceVersion({
          serviceId: id,
          version,
          json: sunset === undefined ? {} : { sunset },
        });
  const text = changed.retirement
    ? `${wanted} is retired from ${changed.retirement.sunset} UTC on.`
    : `${wanted} stays.`;
  outputOf(shell, options).result(text, changed);
}
