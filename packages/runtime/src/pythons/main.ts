/**
 * Downloads an interpreter, checks its hash and unpacks it: `node main.ts <version> <folder of archives> <draft>`.
 * Leaves `home` and perhaps `pip` in the draft. If it fails, it exits with 3 and a line with the reason.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { promisify } from 'node:util';
import { messageOf } from '../errors.ts';
import { pythonReleases, type PythonRelease } from './catalog.ts';

const run = promisify(execFile);
/** Milliseconds for the download, and for unpacking. Beyond them the installation fails. */
const DOWNLOAD_MS = 15 * 60_000;
const UNPACK_MS = 10 * 60_000;

/** An interpreter is not available. The message is for an operator. */
class NotToBeHad extends Error {}

/**
 * Unpacks the parts of an interpreter that services need, without tests and graphical tools. A `.gz` is a single file
 * that the Go module compresses. Libraries that modules expect in their own folder go there.
 */
const UNPACK = `
import gzip, os, re, sys, zipfile
archive, draft, prefix, version = sys.argv[1:]
library = f"lib/python{version}/"
left = re.compile(r"(test|idlelib|tkinter|turtledemo|lib2to3/tests|ensurepip|config-[^/]*|pydoc_data|__pycache__|.*/__pycache__|.*/tests)/")
with zipfile.ZipFile(archive) as files:
    for info in files.infolist():
        if info.is_dir() or not info.filename.startswith(prefix):
            continue
        name = info.filename[len(prefix):]
        packed = name.endswith(".gz")
        name = name[:-3] if packed else name
        if name.startswith(library + "site-packages/pip/"):
            target = "pip/" + name[len(library + "site-packages/pip/"):]
        elif name == f"bin/python{version}":
            target = "home/" + name
        elif name.startswith(library) and not name.startswith(library + "site-packages/") and not left.match(name[len(library):]):
            target = "home/" + name
        elif re.fullmatch(r"(lib/)?libpython[0-9.]+[.]so[.0-9]+", name):
            target = "home/lib/" + os.path.basename(name)
        elif re.fullmatch(r"libffi[.]so[.0-9]+", name):
            target = f"home/{library}lib-dynload/" + name
        else:
            continue
        path = os.path.join(draft, target)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        content = files.read(info)
        with open(path, "xb") as out:
            out.write(gzip.decompress(content) if packed else content)
os.chmod(os.path.join(draft, "home/bin", f"python{version}"), 0o755)
`;

const [version = '', archives = '', draft = ''] = process.argv.slice(2);
try {
  const release = pythonReleases().find((one) => one.version === version);
  if (release === undefined) throw new NotToBeHad(`There is no Python ${version} for this machine.`);
  const downloaded = join(draft, 'archive.zip');
  const archive = await archiveOf(release, join(archives, release.url.split('/').at(-1) ?? ''), downloaded);
  const unpack = ['-I', '-S', '-c', UNPACK, archive, draft, release.prefix, version];
  await run('/usr/bin/python3', unpack, { env: {}, cwd: '/', timeout: UNPACK_MS });
  await rm(downloaded, { force: true });
} catch (error) {
  if (!(error instanceof NotToBeHad)) throw error;
  console.error(error.message);
  process.exitCode = 3;
}

/**
 * The archive that an operator has placed, or else a download.
 * @throws NotToBeHad when its hash differs.
 */
async function archiveOf(release: PythonRelease, placed: string, downloaded: string): Promise<string> {
  const file = existsSync(placed) ? placed : downloaded;
  if (file === downloaded) await download(release, file);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const digest = hash.digest('hex');
  if (digest === release.sha256) return file;
  throw new NotToBeHad(`${file === placed ? file : release.url} has the SHA-256 ${digest}, not ${release.sha256}.`);
}

async function download({ url, bytes }: PythonRelease, file: string): Promise<void> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS), redirect: 'follow' });
    if (!response.ok || response.body === null) throw new Error(`the registry answered ${response.status}`);
    let read = 0;
    const bounded = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        read += chunk.length;
        if (read > bytes) throw new Error('it is larger than it should be');
        yield chunk;
      }
    };
    const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
    await pipeline(body, bounded, createWriteStream(file, { flags: 'wx' }));
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    throw new NotToBeHad(`${url} could not be downloaded: ${messageOf(error)}${cause}`);
  }
}
