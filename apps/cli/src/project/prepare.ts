import path from 'node:path';
import type { ServiceRuntime } from '@kethub/contract';
import { CliFailure, usageFailure } from '../failures.ts';
import type { Output } from '../terminal/output.ts';
import { sizeText } from '../terminal/size.ts';
import { filesOfConda } from './conda-files.ts';
import { listProject, type ProjectFile } from './files.ts';
import { pack, type Archive } from './pack.ts';

/** The platform's limits for an upload. */
export interface UploadLimits {
  readonly sourceArchiveBytes: number;
  readonly sourceUnpackedBytes: number;
  readonly sourceFiles: number;
}

/** Packs a project. It refuses before the upload what the platform would refuse after it. */
export async function prepareUpload(
  output: Output,
  folder: string,
  runtime: ServiceRuntime,
  limits: UploadLimits,
): Promise<Archive> {
  const { files: own, skipped } = await listProject(folder);
  for (const reason of skipped) output.note(`${output.style.yellow('left out:')} ${reason}`);
  const files = runtime === 'PYTHON_TEMPLATE' ? await withRequirements(output, folder, own) : own;
  requireProgram(folder, runtime, new Set(files.map(({ name }) => name)));
  checkFiles(files, limits);
  output.progress(`Packing ${files.length} files`);
  const archive = await pack(files);
  if (archive.bytes <= limits.sourceArchiveBytes) return archive;
  await archive[Symbol.asyncDispose]();
  throw tooLarge(
    `Packed, the folder has ${sizeText(archive.bytes)}; at most ${sizeText(limits.sourceArchiveBytes)} are accepted`,
    files,
  );
}

/** Adds the files made from a conda environment, and reports their content. */
async function withRequirements(
  output: Output,
  folder: string,
  files: readonly ProjectFile[],
): Promise<readonly ProjectFile[]> {
  const names = new Set(files.map(({ name }) => name));
  const made = [...(await filesOfConda(output, folder, names))].map(([name, text]) => madeFile(name, text));
  return made.length === 0 ? files : [...files, ...made].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function madeFile(name: string, text: string): ProjectFile {
  const content = Buffer.from(text);
  return { name, path: content, executable: false, bytes: content.length };
}

function requireProgram(folder: string, runtime: ServiceRuntime, names: ReadonlySet<string>): void {
  const leftOut = 'is not there, or a rule in .gitignore or .ketignore leaves it out.';
  if (runtime === 'DOCKER') {
    if (names.has('Dockerfile') || names.has('Containerfile')) return;
    throw usageFailure(`${path.join(folder, 'Dockerfile')} ${leftOut} The runtime DOCKER builds the service with it.`);
  }
  if (names.has('src/program.py')) return;
  throw usageFailure(
    `${path.join(folder, 'src', 'program.py')} ${leftOut} It has to hold the function run(data, params).`,
    names.has('Dockerfile')
      ? `{"configuration": {"runtime": "DOCKER"}} in kethub.json    (the Dockerfile is the service)`
      : 'ket init <folder>    (a service that works, to start from)',
  );
}

function checkFiles(files: readonly ProjectFile[], limits: UploadLimits): void {
  if (files.length > limits.sourceFiles)
    throw tooLarge(`The folder has ${files.length} files; at most ${limits.sourceFiles} are accepted`, files);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > limits.sourceUnpackedBytes)
    throw tooLarge(
      `The folder has ${sizeText(bytes)}; at most ${sizeText(limits.sourceUnpackedBytes)} are accepted`,
      files,
    );
}

function tooLarge(what: string, files: readonly ProjectFile[]): CliFailure {
  const largest = files
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map(({ name, bytes }) => `${name} (${sizeText(bytes)})`);
  return new CliFailure(
    'usage',
    'too-large',
    `${what}. Name what the service does not need in .ketignore. The largest: ${largest.join(', ')}.`,
  );
}
