import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { Refusal } from '../foundation/config/index.ts';
import { digestOfFile, syncEntry } from '../foundation/storage/index.ts';

/** Files and folders of a backup. */
export const names = {
  manifest: 'manifest.json',
  checksums: 'checksums.txt',
  database: 'database',
  blobs: 'blobs',
  repositories: 'repositories',
} as const;

/** Form of backups that this program writes and reads. */
const FORM = 1;
/** Most bytes of a manifest that is read. */
const MANIFEST_BYTES = 1024 * 1024;
/** A line of the checksums: a digest and a path. */
const LINE = /^([0-9a-f]{64}) {2}([\w./-]{1,512})$/;

const Manifest = Type.Object({
  form: Type.Literal(FORM),
  createdAt: Type.String(),
  /** Version of the platform that wrote it. */
  version: Type.String(),
  database: Type.Enum(['sqlite', 'postgres']),
  migrations: Type.Array(Type.String()),
  /** A constant, sealed under the instance key: it shows which key the secrets of the backup need. */
  sealedCheck: Type.String(),
  blobs: Type.Integer(),
  repositories: Type.Integer(),
  bytes: Type.Integer(),
  /** SHA-256 of the file of checksums. */
  checksums: Type.String(),
});
export type Manifest = Static<typeof Manifest>;

/** Collects the checksums of a backup in a file, in the form of `sha256sum`. */
export class Checksums {
  readonly #folder: string;
  readonly #file;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = createWriteStream(path.join(folder, names.checksums), { flags: 'wx', mode: 0o600 });
    // The error is that of `end`.
    this.#file.on('error', () => undefined);
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a file by its path in the backup. */
  async add(name: string): Promise<void> {
    const file = path.join(this.#folder, name);
    this.#bytes += (await stat(file)).size;
    if (!this.#file.write(`${await digestOfFile(file)}  ${name}\n`) && this.#file.errored === null)
      await once(this.#file, 'drain');
  }

  /** Ends the file, synced, and returns its digest. */
  async end(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      if (this.#file.errored !== null) return reject(this.#file.errored);
      this.#file.once('error', reject).end(resolve);
    });
    const file = path.join(this.#folder, names.checksums);
    await syncEntry(file);
    return digestOfFile(file);
  }
}

/** Writes the manifest, synced. It is the last file of a backup: without it, the backup is not whole. */
export async function writeManifest(folder: string, given: Omit<Manifest, 'form'>): Promise<void> {
  const file = path.join(folder, names.manifest);
  await writeFile(file, `${JSON.stringify({ form: FORM, ...given }, null, 2)}\n`, { mode: 0o600, flush: true });
  await syncEntry(folder);
}

/** Reads a backup and compares each file with its checksum. Throws Refusal for one that is cut off or damaged. */
export async function readBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const checksums = path.join(folder, names.checksums);
  if ((await digestOfFile(checksums).catch(ifMissing(checksums))) !== manifest.checksums)
    throw new Refusal(`${checksums} is damaged. Take another backup.`);
  for await (const line of createInterface({ input: createReadStream(checksums) })) {
    const [, digest, name = ''] = LINE.exec(line) ?? [];
    if (digest === undefined || name.split('/').includes('..')) throw new Refusal(`${checksums} is damaged.`);
    const file = path.join(folder, name);
    if ((await digestOfFile(file).catch(ifMissing(file))) !== digest)
      throw new Refusal(`${file} is damaged: its checksum is another one. Take another backup.`);
  }
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  const file = path.join(folder, names.manifest);
  const { size } = await stat(file).catch(() => {
    throw new Refusal(`There is no ${file}: this is no backup, or one that was cut off. Take another backup.`);
  });
  if (size > MANIFEST_BYTES) throw new Refusal(`${file} is no manifest of a backup: it has ${size} bytes.`);
  const read = parsed(await readFile(file, 'utf8'));
  if (!Value.Check(Manifest, read))
    throw new Refusal(`${file} is damaged, or made by another version of Kethub. Restore it with that version.`);
  return read;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const ifMissing =
  (file: string) =>
  (error: unknown): never => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Refusal(`The backup has no ${file}. Take another backup.`);
    throw error;
  };
