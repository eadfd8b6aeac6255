import { compareVersions } from '@kethub/contract';
import { Problem } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import type { Queries, ServiceSourceRow } from '../../../foundation/storage/index.ts';
import {
  addVersion,
  draftWriterOf,
  everyVersion,
  newestVersions,
  publish,
  replaceSource,
  requireService,
  type SourceOrigin,
} from '../../services/index.ts';
import { readRefs } from '../reading/refs.ts';
import { openToRead, type OpenRepository } from '../reading/resolve.ts';
import type { GitStore } from '../store.ts';
import { archiveStream, takeSource } from '../writing/take-source.ts';

/** Milliseconds until the next look at a source whose build goes on, and at one with a problem, which may end by itself. */
const BUILD_MS = 2_000;
const PROBLEM_MS = 60_000;

/**
 * Brings a service to what its source says: the version of the newest push is there, and published if that was chosen.
 * Each call looks at repository and versions anew, so that one after a kill completes what was begun. Returns the
 * milliseconds until the next look; null when nothing is left to do before the next push.
 */
export async function followSource(
  platform: Platform,
  store: GitStore,
  source: ServiceSourceRow,
): Promise<number | null> {
  try {
    const owner = await ownerOf(platform, source);
    if (!owner) return null;
    // Rights that have ended end what they allowed.
    const open = await openToRead(platform, store, owner, source.implementation_id, 'implementation:build');
    // A push that came during a build must not take the place of what was built.
    const refused = await publishBuilt(platform, owner, source.service_id).catch(problemOnly);
    const isNewer = await makeVersion(platform, store, open, owner, source);
    // A later push may mend what kept the version from being published.
    if (refused && !isNewer) throw refused;
    return (await isDone(platform, source.service_id)) ? null : BUILD_MS;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    await note(platform, source, { problem: error.message });
    return PROBLEM_MS;
  }
}

/** Returns whether there is nothing to do before the next push: no build goes on, and nothing waits to be published. */
async function isDone({ database }: Platform, serviceId: string): Promise<boolean> {
  const [newest] = await newestVersions(database.read, [serviceId]);
  const status = newest?.state === 'DRAFT' ? newest.build_status : null;
  if (status === 'PENDING' || status === 'RUNNING') return false;
  return (await versionToPublish(database.read, serviceId)) === null;
}

/** Returns a Problem, and throws any other error. */
function problemOnly(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

async function ownerOf({ database }: Platform, { service_id, set_by }: ServiceSourceRow): Promise<Context | null> {
  const service = await database.read
    .selectFrom('services')
    .select(['owner_type', 'owner_id'])
    .where('id', '=', service_id)
    .executeTakeFirst();
  return service ? { type: service.owner_type, id: service.owner_id, role: 'OWNER', personId: set_by } : null;
}

interface Target {
  readonly origin: SourceOrigin;
  /** Number that a tag asks for; undefined for a branch. */
  readonly version: string | undefined;
}

/**
 * Makes the version of the newest push; returns whether it did. While a draft is built it makes none, so that of the
 * pushes during a build only the newest becomes a version.
 */
async function makeVersion(
  platform: Platform,
  store: GitStore,
  open: OpenRepository,
  owner: Context,
  source: ServiceSourceRow,
): Promise<boolean> {
  const { service_id: serviceId } = source;
  const target = await targetOf(store, open, source);
  if (!target || target.origin.commit === source.last_commit) return false;
  const { read } = platform.database;
  const { origin, version } = target;
  const versions = await everyVersion(read, serviceId);
  const [newest] = await newestVersions(read, [serviceId]);
  const draft = newest?.state === 'DRAFT' ? newest : undefined;
  // It was made before a kill, or by Create Service; whoever may publish it has perhaps done so.
  const made = newest?.source_commit === origin.commit && (version === undefined || newest.version === version);
  if (!made && draft?.build_status === 'RUNNING') return false;
  let number = newest?.version;
  if (!made && version !== undefined && versions.some((one) => compareVersions(one.version, version) >= 0)) {
    await note(platform, source, {
      last_commit: origin.commit,
      problem: `There is a version ${version} or a later one.`,
    });
    return true;
  }
  if (!made && draft && version === undefined)
    await replaceSource(
      platform,
      { owner, serviceId, version: draft.version },
      () => archiveStream(store, open.repository, origin.commit),
      undefined,
      origin,
    );
  else if (!made) {
    const taken = await takeSource(platform, store, open, origin);
    const writer = draftWriterOf(platform, owner, { form: {}, source: taken });
    const content = JSON.stringify(origin);
    number = (await addVersion(platform, owner, serviceId, { version, content, writer }, undefined)).version;
  }
  await note(platform, source, { last_commit: origin.commit, last_version: number ?? null, problem: null });
  return true;
}

const VERSION = /^v?((?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8}))$/;

/** The commit of the branch, or of the tag with the greatest number; null when there is none. */
async function targetOf(
  store: GitStore,
  { implementation, repository }: OpenRepository,
  { watched, pattern }: ServiceSourceRow,
): Promise<Target | null> {
  const { branches, tags } = await readRefs(store.git, repository);
  const originOf = ({ name, commit }: { name: string; commit: string }): SourceOrigin => ({
    implementationId: implementation.id,
    ref: name,
    commit,
  });
  if (watched === 'BRANCH') {
    const found = branches.find(({ name }) => name === pattern);
    return found ? { origin: originOf(found), version: undefined } : null;
  }
  const [first = '', ...rest] = pattern.split('*');
  const numbered = tags.flatMap((tag) => {
    const version = VERSION.exec(tag.name)?.[1];
    return version !== undefined && fits(tag.name, first, rest) ? [{ origin: originOf(tag), version }] : [];
  });
  return numbered.toSorted((a, b) => compareVersions(b.version, a.version))[0] ?? null;
}

/** Returns whether a name begins with `first` and has each of `rest` after the one before, the last at its end. */
function fits(name: string, first: string, rest: readonly string[]): boolean {
  if (rest.length === 0) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = rest.at(-1) ?? '';
  return name.length - last.length >= at && name.endsWith(last);
}

/** Publishes the version that the last push has made, once it is built. */
async function publishBuilt(platform: Platform, owner: Context, serviceId: string): Promise<void> {
  const { read } = platform.database;
  const version = await versionToPublish(read, serviceId);
  if (version === null) return;
  await requireService(read, owner, serviceId);
  await publish(platform, { owner, serviceId, version }, 'INTERNAL', undefined);
}

/** The number of the draft that the last push has made, if it is built and is to be published; else null. */
async function versionToPublish(read: Queries, serviceId: string): Promise<string | null> {
  const source = await read
    .selectFrom('service_sources')
    .selectAll()
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  if (source?.action !== 'PUBLISH' || source.last_version === null) return null;
  const [newest] = await newestVersions(read, [serviceId]);
  const isReady =
    newest?.state === 'DRAFT' &&
    newest.version === source.last_version &&
    newest.source_commit === source.last_commit &&
    newest.build_status === 'SUCCEEDED';
  return isReady ? newest.version : null;
}

/** Writes what has become of a push, unless the source was set anew meanwhile. */
async function note(
  { database }: Platform,
  { service_id, implementation_id, pattern }: ServiceSourceRow,
  values: Partial<Pick<ServiceSourceRow, 'last_commit' | 'last_version' | 'problem'>>,
): Promise<void> {
  await database.write((transaction) =>
    transaction
      .updateTable('service_sources')
      .set(values)
      .where('service_id', '=', service_id)
      .where('implementation_id', '=', implementation_id)
      .where('pattern', '=', pattern)
      .execute(),
  );
}
