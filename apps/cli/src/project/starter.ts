import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from './manifest-content.ts';
import { manifestName, readManifest } from './manifest.ts';

const starterFolder = path.join(import.meta.dirname, '../../starter');

/** Stored under other names, because they would affect what git sees of the starter itself. */
const realNames: Readonly<Record<string, string>> = { gitignore: '.gitignore', ketignore: '.ketignore' };

interface WrittenStarter {
  /** Name of the service. */
  readonly name: string;
  /** Names of files, sorted. */
  readonly written: readonly string[];
  /** Files that existed before and are unchanged. */
  readonly kept: readonly string[];
}

/** Names that show that a folder already holds code. */
const codeFiles = [
  'src',
  'Dockerfile',
  'Containerfile',
  'requirements.txt',
  'environment.yml',
  'environment.yaml',
  'pyproject.toml',
];

/**
 * Fills a folder with a working service. Existing files stay unchanged. A folder with code gets only a `kethub.json`,
 * with the values of its configuration for another platform.
 */
export async function writeStarter(folder: string): Promise<WrittenStarter> {
  const existing = await existingProject(folder);
  const name = existing?.name ?? serviceName(folder);
  const written: string[] = [];
  const kept: string[] = [];
  const files = existing === null ? await starterFiles(name) : [manifestFile(existing)];
  for (const [file, content] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    ((await writeNew(target, content)) ? written : kept).push(file);
  }
  return { name, written: written.sort(), kept: kept.sort() };
}

/** The content of `kethub.json` for a folder with code. Null for a folder without code. */
async function existingProject(folder: string): Promise<StarterManifest | null> {
  const manifest = await readManifest(folder);
  if (manifest !== null) {
    const { name, description, configuration } = manifest;
    return { name, description, configuration };
  }
  const names = await namesIn(folder);
  if (!codeFiles.some((file) => names.includes(file))) return null;
  const isDocker = !names.includes('src') && (names.includes('Dockerfile') || names.includes('Containerfile'));
  const runtime = isDocker ? 'DOCKER' : 'PYTHON_TEMPLATE';
  return { name: serviceName(folder), description: '', configuration: { runtime, cpus: 1, memoryGb: 1 } };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

type StarterManifest = Pick<Manifest, 'name' | 'description' | 'configuration'>;

function manifestFile(manifest: StarterManifest): [file: string, content: string] {
  return [manifestName, `${JSON.stringify(manifest, null, 2)}\n`];
}

async function starterFiles(name: string): Promise<[file: string, content: string][]> {
  const entries = await readdir(starterFolder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'));
  const manifest: StarterManifest = {
    name,
    description: 'Measures a GHZ state on a noisy register.',
    configuration: { runtime: 'PYTHON_TEMPLATE', cpus: 1, memoryGb: 1, runTimeSeconds: 3600 },
  };
  return [
    manifestFile(manifest),
    ...(await Promise.all(
      files.map(async (entry): Promise<[string, string]> => {
        const file = path.join(entry.parentPath, entry.name);
        const content = await readFile(file, 'utf8');
        const folder = path.relative(starterFolder, path.dirname(file));
        return [path.join(folder, realNames[entry.name] ?? entry.name), content.replaceAll('{{name}}', name)];
      }),
    )),
  ];
}

/** Returns false when something of that name exists. */
async function writeNew(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function serviceName(folder: string): string {
  const name = path.basename(path.resolve(folder)).slice(0, 100);
  return /[A-Za-z0-9]/.test(name) ? name : 'my-service';
}
