import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { EngineRefusal, type Engine } from '../containers/engine.ts';
import { inspectImage, tarOf, type Image } from './image-build.ts';
import type { BuildLog } from './build-log.ts';

/** Bytes of a block of a tar archive. */
const TAR_BLOCK = 512;
/** Bytes of an archive that are read to see whether a folder holds anything: the headers of its first entries. */
const HEAD_BYTES = 64 * 1024;
/** Types of tar entries that describe the next entry (pax, GNU). */
const DESCRIPTIONS = 'xgLK';

/**
 * Removes the declaration `VOLUME` from folders of an image that hold files. An engine would copy such a folder to a
 * disk without a limit at each start. Without the declaration it is a part of the image. Each run begins with its
 * content and writes to a layer of its own, which is measured. Empty folders stay declared; a run gets memory there.
 *
 * The image is loaded again with the same layers and another configuration, so nothing is copied. An engine that does
 * not accept an image without the bytes of its layers keeps the declarations, and the log of the build says so.
 * @param draft the path of a folder that does not exist yet.
 */
export async function keepVolumeContent(
  engine: Engine,
  name: string,
  image: Image,
  draft: string,
  log: BuildLog,
): Promise<void> {
  const declared = Object.keys(image.Config.Volumes ?? {});
  const filled = await filledFolders(engine, image, declared);
  if (filled.length === 0) return;
  const empty = declared.filter((path) => !filled.includes(path));
  writeImage(draft, name, image, empty);
  let why = 'it has not changed the image';
  try {
    // The answer is a stream of messages. The image itself shows whether it was loaded.
    const answer = await engine.open('POST', '/images/load', { query: { quiet: true }, archive: tarOf(draft) });
    await answer.toArray();
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    why = error.message;
  }
  const loaded = await inspectImage(engine, name);
  if (loaded === null || loaded.Id === image.Id) {
    log.warning(`The container engine cannot keep the content of ${listed(filled)}, declared as VOLUME (${why}).`);
    log.warning('These folders are empty at the start of each execution. Remove VOLUME, or move the files elsewhere.');
    return;
  }
  await engine.settle('DELETE', `/images/${image.Id}`);
  log.info(`Each execution begins with the content of ${listed(filled)}, declared as VOLUME.`);
}

function listed(paths: readonly string[]): string {
  return paths.join(', ');
}

/** Writes the files for `docker load`. The layers are named by their digests and not included. */
function writeImage(folder: string, name: string, image: Image, volumes: readonly string[]): void {
  const { Architecture, Os, Created, Config, RootFS } = image;
  const configuration = {
    architecture: Architecture,
    os: Os,
    created: Created,
    config: { ...Config, Volumes: Object.fromEntries(volumes.map((path) => [path, {}])) },
    rootfs: { type: 'layers', diff_ids: RootFS.Layers },
  };
  const Layers = RootFS.Layers.map((_digest, index) => `${index}/layer.tar`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(configuration));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify([{ Config: 'config.json', RepoTags: [name], Layers }]));
}

/**
 * Finds the folders that hold files, in a container that is never started. Memory covers the folders, so that the
 * engine does not copy them to volumes.
 */
async function filledFolders(engine: Engine, image: Image, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const container = `kethub-volumes-${randomUUID()}`;
  const Tmpfs = Object.fromEntries(paths.map((path) => [path, '']));
  const body = { Image: image.Id, Entrypoint: ['/never'], HostConfig: { Tmpfs } };
  await engine.ask('POST', '/containers/create', { query: { name: container }, body });
  try {
    const filled: string[] = [];
    for (const path of paths) if (await isFilled(engine, container, path)) filled.push(path);
    // The runner removes containers that belong to no execution. If it removed this one, the answers say nothing about
    // the image.
    await engine.ask('GET', `/containers/${container}/json`);
    return filled;
  } finally {
    await engine.settle('DELETE', `/containers/${container}`, { query: { force: true, v: true } });
  }
}

async function isFilled(engine: Engine, container: string, path: string): Promise<boolean> {
  let archive: IncomingMessage;
  try {
    archive = await engine.open('GET', `/containers/${container}/archive`, { query: { path } });
  } catch (error) {
    if (error instanceof EngineRefusal && error.status === 404) return false;
    throw error;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of archive as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= HEAD_BYTES) break; // closes the connection
  }
  return entriesOf(Buffer.concat(chunks)) > 1;
}

/** Counts the entries whose headers are at the beginning of a tar archive. The first entry is the folder itself. */
function entriesOf(head: Buffer): number {
  let entries = 0;
  for (let at = 0; at + TAR_BLOCK <= head.length && head[at] !== 0;) {
    const type = String.fromCharCode(head[at + 156] ?? 0);
    const size = Number.parseInt(head.toString('latin1', at + 124, at + 136), 8) || 0;
    if (!DESCRIPTIONS.includes(type)) entries += 1;
    at += TAR_BLOCK + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return entries;
}
