import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { BUSYBOX } from '../containers/check.ts';

const MODIFIED = new Date(2026, 0, 1);
/** Lines of a Dockerfile for an image with a shell and its commands. */
export const SHELL = ['FROM scratch', 'COPY busybox /bin/busybox', 'RUN ["/bin/busybox", "--install", "-s", "/bin"]'];
/** The command that runs the text of the variable PROGRAM. */
export const RUNS_PROGRAM = String.raw`CMD ["/bin/sh", "-c", "eval \"$PROGRAM\""]`;

/** A project with a Dockerfile and this machine's busybox, as an upload. */
export async function zipProject(
  lines: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<{ archive: Buffer; digest: string }> {
  const zip = new ZipFile();
  zip.addBuffer(readFileSync(BUSYBOX), 'busybox', { mtime: MODIFIED, mode: 0o100755 });
  for (const [name, text] of Object.entries({ ...files, Dockerfile: lines.join('\n') }))
    zip.addBuffer(Buffer.from(text), name, { mtime: MODIFIED });
  zip.end();
  const archive = await buffer(zip.outputStream);
  return { archive, digest: createHash('sha256').update(archive).digest('hex') };
}
