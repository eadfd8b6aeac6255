import { stat } from 'node:fs/promises';
import path from 'node:path';
import { usageFailure } from '../failures.ts';
import { findProject, isProject } from '../project/find.ts';
import { requireManifest } from '../project/manifest.ts';
import type { Shell } from '../shell.ts';
import { isMeant, subscriptionsTo } from './select-service.ts';
import type { Session } from './session.ts';

/** The target of `ket run`. */
export interface Target {
  /** Name, name@version, id or address of a service. */
  readonly service: string;
  /** The folder of the service. Its input/ is the input when no other is given. */
  readonly project: string | null;
}

/**
 * Selects the target of `ket run`: the project of the current folder, the project in a named folder (as for `ket up`),
 * or a named service. If a word names both a folder and another service, it means the service, so that a script calls
 * the same service in every folder. A word with a slash is a folder.
 */
export async function selectTarget(
  shell: Shell,
  wanted: string | undefined,
  nameOfService: (word: string) => Promise<string | null>,
): Promise<Target> {
  if (wanted === undefined) return currentTarget(shell);
  const folder = path.resolve(shell.folder, wanted);
  const named: Target = { service: wanted, project: null };
  // An empty word is an unset variable, not the current folder.
  if (wanted === '') return named;
  if (!(await isProject(folder))) {
    const isFolderOnly = /^\.{0,2}\/|^\.{1,2}$/.test(wanted) || (wanted.includes('/') && (await isFolder(folder)));
    if (isFolderOnly) await requireManifest(folder);
    return named;
  }
  const target = await targetIn(folder);
  if (wanted.includes('/') || /^\.{1,2}$/.test(wanted) || isSameName(wanted, target.service)) return target;
  const other = await nameOfService(wanted);
  return other === null || isSameName(other, target.service) ? target : named;
}

async function currentTarget(shell: Shell): Promise<Target> {
  const project = await findProject(shell.folder);
  if (project !== null) return targetIn(project);
  throw usageFailure(
    'No service was named, and this folder is none.',
    'ket run <service> --input input.json',
    'ket run <folder>    (one with a kethub.json)',
    'ket services',
  );
}

async function targetIn(project: string): Promise<Target> {
  return { service: (await requireManifest(project)).name, project };
}

/** The name of the service that `ket run` would start for this word, or null when there is none. */
export async function nameOfService(
  { platform, subscriptions }: Session,
  word: string,
  isJob: boolean,
): Promise<string | null> {
  const meant = (one: { id: string; name: string; slug: string }) => isMeant(word, one.id, one.name, one.slug);
  const own = (await platform.listServices()).find(meant);
  if (own) return own.name;
  const [subscribed] = isJob ? [] : subscriptionsTo(await subscriptions(), word);
  return subscribed?.serviceName ?? (await platform.listSharedServices()).find(meant)?.name ?? null;
}

function isSameName(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

function isFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
