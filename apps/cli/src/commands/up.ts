import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { isBuilt, KethubError } from '@kethub/client';
import type { Build, ServiceVersion } from '@kethub/contract';
import type { Command } from 'commander';
import { CliFailure } from '../failures.ts';
import { followToEnd } from '../follow.ts';
import { deploySource, type Deployed } from '../platform/deploy-source.ts';
import { openSession, type Session } from '../platform/session.ts';
import { findProject } from '../project/find.ts';
import type { Manifest } from '../project/manifest-content.ts';
import { requireManifest } from '../project/manifest.ts';
import { prepareUpload } from '../project/prepare.ts';
import { upWorkflow } from './up-workflow.ts';
import { addCommand, commandFor, endWith, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { Interrupted, interruptible } from '../terminal/interrupt.ts';
import { printable, type Output } from '../terminal/output.ts';
import { sizeText } from '../terminal/size.ts';

interface UpOptions extends CommonOptions {
  readonly publish?: boolean;
}

export function addUp(program: Command, shell: Shell): void {
  addCommand(program, 'up [folder]', 'upload a service, build it and publish it; or deploy a workflow')
    .option('--publish', 'publish it internally and subscribe to it (the default)')
    .option('--no-publish', 'leave it a draft, which can be changed and runs only with --job')
    .addHelpText(
      'after',
      `
The name in kethub.json identifies the service: a new name creates a new service. Without a kethub.json, ket reads
qhub.json or planqk.json. A published version never changes: for different content ket creates the next version.
Files that .gitignore or .ketignore name are not uploaded.
Without a requirements.txt, ket translates environment.yml. Packages of conda keep their names; ket leaves out and lists
those that are known to be absent from PyPI, or something else there.
The version of Python is the first of: "python" in the configuration, .python-version, requires-python in pyproject.toml,
python=3.12 in a translated environment.yml. The command ket doctor pythons lists the versions.
With "workflow" in kethub.json, ket deploys the BPMN file of that name as a workflow service.
Ctrl-C stops waiting. The build goes on, and ket up waits for it again.`,
    )
    .action((folder: string | undefined, options: UpOptions) => up(shell, folder, options));
}

async function up(shell: Shell, wanted: string | undefined, options: UpOptions): Promise<void> {
  const output = outputOf(shell, options);
  const folder =
    wanted === undefined ? ((await findProject(shell.folder)) ?? shell.folder) : path.resolve(shell.folder, wanted);
  const manifest = await requireManifest(folder);
  for (const note of manifest.notes) output.note(note);
  const session = await openSession(shell);
  if (manifest.workflow !== null)
    return upWorkflow(shell, output, session, { folder, wanted, manifest }, options.publish !== false);
  const deployed = await interruptible((signal) => upload(output, session, folder, manifest, signal));
  const build = await followBuild(output, session, deployed);
  if (build.status === 'FAILED') return showFailedBuild(shell, output, wanted, deployed, build);
  const published = options.publish === false ? null : await publish(output, session, deployed);
  showReady(shell, output, wanted, deployed, build, published);
}

async function upload(
  output: Output,
  session: Session,
  folder: string,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<Deployed> {
  // Imported here because the schema library takes 150 ms, and no other command needs it.
  const { defaultConfiguration, limits } = await import('@kethub/contract');
  try {
    const configuration = { ...defaultConfiguration, ...manifest.configuration };
    await using archive = await prepareUpload(output, folder, configuration.runtime, limits);
    const source = await openAsBlob(archive.path, { type: 'application/zip' });
    const onUpload = () => output.progress(`Uploading ${sizeText(archive.bytes)}`);
    const { digest } = archive;
    return await deploySource(session.platform, { ...manifest, configuration, source, digest, onUpload, signal });
  } finally {
    output.settle();
  }
}

async function followBuild(output: Output, { platform }: Session, deployed: Deployed): Promise<Build> {
  const { service, version, build, change } = deployed;
  const name = `${service.slug} ${version}`;
  if (change === 'none') output.note(`Nothing has changed since ${name}.`);
  if (isBuilt(build) && change === 'none') return build;
  try {
    return await interruptible((signal) =>
      followToEnd(
        output,
        {
          watch: (options) => platform.watchBuild({ serviceId: service.id, version, ...options }),
          log: (options) => platform.followBuildLog({ serviceId: service.id, version, ...options }),
          describe: ({ status }) => `Build of ${name}: ${status}`,
        },
        signal,
      ),
    );
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new CliFailure('interrupted', 'interrupted', `The build of ${name} goes on; it is not published yet.`, [
      'ket up    (waits for it again, and publishes)',
    ]);
  }
}

/** Publishes a version and subscribes the application of the command line, so that `ket run` works. */
async function publish(
  output: Output,
  session: Session,
  { service, version, state }: Deployed,
): Promise<ServiceVersion> {
  const published =
    state === 'PUBLISHED'
      ? await session.platform.getServiceVersion({ serviceId: service.id, version })
      : await session.platform.publishServiceVersion({
          serviceId: service.id,
          version,
          json: { visibility: 'INTERNAL' },
        });
  await subscribe(output, session, service.id, version);
  return published;
}

/** Subscribes the application of the command line. A token for deployments need not be allowed to. */
async function subscribe(output: Output, session: Session, serviceId: string, version: string): Promise<void> {
  try {
    await session.subscribe(serviceId, version);
  } catch (error) {
    if (!(error instanceof KethubError && error.code === 'outside-token-scope')) throw error;
    output.note('Not subscribed: the scope of the access token does not include that.');
  }
}

function showFailedBuild(
  shell: Shell,
  output: Output,
  wanted: string | undefined,
  { service, version }: Deployed,
  build: Build,
): void {
  const { title = 'The build failed', detail = '' } = build.problem ?? {};
  output.note(`${output.style.red('FAILED')} ${printable(`${title}. ${detail}`, shell.stderr.isTTY)}`);
  output.note(`  Correct it and type ${commandFor(shell, 'up', wanted)} again.`);
  output.result('', { service: { id: service.id, name: service.name, slug: service.slug }, version, build });
  endWith(shell, 'failed');
}

function showReady(
  shell: Shell,
  output: Output,
  wanted: string | undefined,
  { service, version, state, change }: Deployed,
  build: Build,
  published: ServiceVersion | null,
): void {
  const name = `${service.slug} ${version}`;
  if (published)
    output.note(`${output.style.green(`${name} is published.`)} Run it: ${commandFor(shell, 'run', wanted)}`);
  else if (state === 'DRAFT')
    output.note(`${name} is built, and a draft: ${commandFor(shell, 'up', wanted)} publishes it.`);
  output.result(published?.endpoint ?? '', {
    service: { id: service.id, name: service.name, slug: service.slug },
    version,
    state: published?.state ?? state,
    change,
    build,
    endpoint: published?.endpoint ?? null,
  });
}
