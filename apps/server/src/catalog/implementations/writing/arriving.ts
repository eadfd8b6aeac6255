import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isRefName, limits } from '@kethub/contract';
import { BuildError, unpackSource } from '@kethub/runtime/build';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../foundation/http/index.ts';
import { readParts } from '../../services/index.ts';

/** The content of a commit that is made without Git, in a folder. */
export interface ArrivedCommit {
  readonly message: string;
  readonly branch: string | null;
  /** Paths that the commit removes. */
  readonly removed: readonly string[];
  /** True if the files become the whole tree, as those of a ZIP do. */
  readonly isWhole: boolean;
  /** The folder with the files. */
  readonly folder: string;
}

/** Files and forms: the fields, and the files. */
const PARTS = limits.committedFiles + 16;
const NAME_BYTES = 255;
const DEPTH = 32;
const DEFAULT_MESSAGE = 'Upload files';

/**
 * Reads the form of a commit into `folder`. The fields `message`, `branch` and `remove` come first. Then come parts
 * `files`, each named by its path, or one part `archive` with a ZIP. Throws invalid-request, invalid-archive and
 * too-large.
 */
export async function receiveCommit(
  request: FastifyRequest,
  folder: string,
  fileBytes: number,
): Promise<ArrivedCommit> {
  const fields: { message: string; branch: string | null; removed: string[] } = {
    message: DEFAULT_MESSAGE,
    branch: null,
    removed: [],
  };
  const files = path.join(folder, 'files');
  let isWhole = false;
  let received = 0;
  let bytes = 0;
  const count = (length: number): void => {
    bytes += length;
    if (bytes > limits.committedBytes) throw tooMuch();
  };
  await readParts(
    request,
    async (part) => {
      if (part.type === 'field') return readField(fields, part.fieldname, String(part.value));
      if (isWhole || (part.fieldname === 'archive' && received > 0))
        throw wrong('/archive', 'Send either one part "archive", or parts "files".');
      received++;
      if (part.fieldname === 'archive') {
        isWhole = true;
        const zip = path.join(folder, 'archive.zip');
        await store(part.file, zip, count);
        bytes = 0;
        await unpack(zip, files);
      } else if (part.fieldname === 'files') await receiveFile(files, part.filename, part.file, count);
      else throw wrong(`/${part.fieldname}`, `There is no file part "${part.fieldname}".`);
      if (part.file.truncated) throw new Problem('too-large', `A file may have at most ${fileBytes} bytes.`);
    },
    { fileSize: fileBytes, files: limits.committedFiles, parts: PARTS, preservePath: true },
  );
  if (received === 0 && fields.removed.length === 0)
    throw wrong('', 'The commit changes nothing: send files, an archive, or names to remove.');
  await mkdir(files, { recursive: true });
  return { ...fields, isWhole, folder: files };
}

function readField(
  fields: { message: string; branch: string | null; removed: string[] },
  name: string,
  value: string,
): void {
  if (name === 'message') {
    if (value.trim() === '' || value.length > limits.commitMessageLength || value.includes('\0'))
      throw wrong('/message', `The message must have 1 to ${limits.commitMessageLength} characters.`);
    fields.message = value;
  } else if (name === 'branch') {
    if (!isRefName(value))
      throw wrong('/branch', `"branch" must name a branch, of at most ${limits.refLength} characters.`);
    fields.branch = value;
  } else if (name === 'remove') fields.removed.push(requireFilePath(value, '/remove'));
  else throw wrong(`/${name}`, `There is no part "${name}".`);
}

async function receiveFile(folder: string, name: string, file: Readable, count: (bytes: number) => void) {
  const target = path.join(folder, requireFilePath(name, '/files'));
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await store(file, target, count);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EEXIST' && code !== 'ENOTDIR' && code !== 'EISDIR') throw error;
    throw wrong('/files', `The form has ${JSON.stringify(name)} twice, or as a file and as a folder.`);
  }
}

function store(from: Readable, target: string, count: (bytes: number) => void): Promise<void> {
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        count(chunk.length);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  return pipeline(from, counted, createWriteStream(target, { flags: 'wx', mode: 0o644 }));
}

async function unpack(zip: string, folder: string): Promise<void> {
  const most = { files: limits.committedFiles, bytes: limits.committedBytes };
  try {
    await unpackSource(zip, folder, most, { keepsExecutable: true, check: () => undefined });
  } catch (error) {
    throw error instanceof BuildError ? new Problem('invalid-archive', error.message) : error;
  }
}

/** Returns the path of a file in a repository. Throws invalid-request for one that is unsafe on some machine. */
export function requireFilePath(name: string, pointer: string): string {
  const names = name.split('/');
  const isSafe =
    names.length <= DEPTH &&
    name.length <= limits.repositoryPathLength &&
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    !/[\u0000-\u001f\u007f\\]/.test(name) &&
    names.every(
      (one) => one !== '' && !/^(?:\.|\.\.|\.git\.?|git~\d+)$/i.test(one) && Buffer.byteLength(one) <= NAME_BYTES,
    );
  if (isSafe) return name;
  throw wrong(pointer, `${JSON.stringify(name.slice(0, 200))} is no path of a file, such as src/program.py.`);
}

function wrong(pointer: string, detail: string): Problem {
  return new Problem('invalid-request', detail, { errors: [{ pointer, detail }] });
}

function tooMuch(): Problem {
  return new Problem('too-large', `The files of a commit may have at most ${limits.committedBytes} bytes together.`);
}
