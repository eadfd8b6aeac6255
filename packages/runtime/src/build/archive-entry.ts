import { type Entry, getFileNameLowLevel } from 'yauzl';
import { BuildError } from './problem.ts';

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const SYMBOLIC_LINK = 0o120000;
const STORED = 0;
const DEFLATED = 8;
/** Bytes of a file name and of a path, and nesting of folders. An entry beyond one of them is refused. */
const NAME_BYTES = 255;
const PATH_BYTES = 1_024;
const DEPTH = 32;

/** The action for an entry of an archive: nothing, or a folder or file at `path` (relative, with `/`, no dots). */
type Planned = { kind: 'SKIP' } | { kind: 'FOLDER' | 'FILE'; path: string };

/**
 * Judges one entry by its name, mode and flags (APPNOTE.TXT 4.4) before anything is written.
 * @throws BuildError naming the entry and the remedy.
 */
export function planEntry(entry: Entry): Planned {
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
  if (isRubbish(name)) return { kind: 'SKIP' };
  const isFolder = name.endsWith('/');
  const path = isFolder ? name.slice(0, -1) : name;
  checkName(name, path);
  checkMode(entry, name, isFolder);
  if (entry.isEncrypted()) unsafe(name, 'is encrypted', 'Make the ZIP without a password.');
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    const detail = `The entry ${show(name)} is compressed with method ${entry.compressionMethod}. Use the usual ZIP compression (deflate).`;
    throw new BuildError('archive-invalid', detail);
  }
  return { kind: isFolder ? 'FOLDER' : 'FILE', path };
}

/** The name in a form for messages: without control characters, and cut off when it is long. */
export function show(name: string): string {
  const clean = name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '�');
  return `\`${clean.length > 120 ? `${clean.slice(0, 117)}...` : clean}\``;
}

/** Entries that the Finder of macOS adds to every archive. */
function isRubbish(name: string): boolean {
  return name.startsWith('__MACOSX/') || name === '.DS_Store' || name.endsWith('/.DS_Store');
}

function unsafe(name: string, fault: string, remedy: string): never {
  throw new BuildError('archive-unsafe', `The entry ${show(name)} ${fault}. ${remedy}`);
}

function checkName(name: string, path: string): void {
  if (path === '') unsafe(name, 'has no name', 'Make the ZIP again, of the files of the project.');
  if (path.includes('\\'))
    unsafe(name, 'has a backslash in its name', 'Use a ZIP program that separates folders with `/`.');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) {
    unsafe(name, 'has an absolute name', 'Zip the project from inside its folder: zip -r ../service.zip .');
  }
  if (/[\p{Cc}�]/u.test(path)) unsafe(name, 'has control or undecodable characters in its name', 'Rename it.');
  const segments = path.split('/');
  if (segments.includes('..'))
    unsafe(
      name,
      'leads out of the archive with `..`',
      'Zip the project from inside its folder: zip -r ../service.zip .',
    );
  if (segments.includes('') || segments.includes('.'))
    unsafe(name, 'has an empty or `.` part in its name', 'Make the ZIP again.');
  const tooLong =
    Buffer.byteLength(path) > PATH_BYTES || segments.some((segment) => Buffer.byteLength(segment) > NAME_BYTES);
  if (tooLong || segments.length > DEPTH)
    unsafe(name, 'has a name that is too long or too deep', `At most ${DEPTH} folders deep, ${PATH_BYTES} bytes.`);
}

/** Checks the Unix mode: the upper half of the external attributes, whatever system the archive claims to come from. */
function checkMode(entry: Entry, name: string, isFolder: boolean): void {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (type === SYMBOLIC_LINK)
    unsafe(name, 'is a symbolic link', 'Put the file itself into the ZIP (zip without --symlinks).');
  if (type !== 0 && type !== (isFolder ? DIRECTORY : REGULAR))
    unsafe(name, 'is neither a file nor a folder', 'Remove it from the project.');
}

/** Returns whether its owner may execute it, if the archive was made on a system with Unix modes. */
export function isExecutable(entry: Entry): boolean {
  return ((entry.externalFileAttributes >>> 16) & 0o100) !== 0;
}
