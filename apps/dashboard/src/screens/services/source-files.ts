import { unzipSync, zipSync, type Zippable } from 'fflate';

/** Files that no source needs and that would only make the upload large or give secrets away. */
const LEFT_OUT =
  /(?:^|\/)(?:\.git|\.venv|venv|node_modules|__pycache__|\.mypy_cache|\.pytest_cache|\.idea|\.vscode)(?:\/|$)|(?:^|\/)(?:\.DS_Store|\.env)$|\.pyc$/;
/** Bytes of a ZIP that the platform accepts. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 5_000;

/** Files of an upload, with a description in words. */
export interface Source {
  readonly file: File;
  readonly name: string;
  readonly summary: string;
  readonly isWorkflow: boolean;
  /** Runtime that builds its content; null for a workflow, and for a ZIP that cannot be read here. */
  readonly runtime: Runtime | null;
}

export type Runtime = 'PYTHON_TEMPLATE' | 'DOCKER';

interface Found {
  readonly path: string;
  readonly file: File;
}

/** The source in what was dropped: a folder, a ZIP, a BPMN file, or loose files. Throws an Error with a sentence for the person. */
export async function sourceOfDrop(transfer: DataTransfer): Promise<Source> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found = (await Promise.all(entries.map((entry) => filesOf(entry)))).flat();
  return sourceOf(found);
}

/** The source in what was chosen in a file dialog, of a folder or of single files. */
export function sourceOfInput(files: FileList): Promise<Source> {
  return sourceOf([...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

async function sourceOf(found: readonly Found[]): Promise<Source> {
  const [only] = found;
  if (found.length === 1 && only && /\.zip$/i.test(only.file.name)) {
    checkSize(only.file.size);
    const runtime = runtimeOf(namesIn(new Uint8Array(await only.file.arrayBuffer())));
    return { file: only.file, name: nameOf(only.file.name), summary: 'a ZIP', isWorkflow: false, runtime };
  }
  if (found.length === 1 && only && /\.(?:bpmn|xml)$/i.test(only.file.name))
    return {
      file: only.file,
      name: nameOf(only.file.name),
      summary: 'a workflow (BPMN)',
      isWorkflow: true,
      runtime: null,
    };
  return zipOf(found);
}

/** The files as a ZIP of the content of their common folder. */
async function zipOf(all: readonly Found[]): Promise<Source> {
  const found = all.filter(({ path }) => !LEFT_OUT.test(path));
  if (found.length === 0) throw new Error('There is no file in it that could be uploaded.');
  if (found.length > MOST_FILES)
    throw new Error(`It has ${found.length} files; ${MOST_FILES} are the most. Drop the folder of the service alone.`);
  checkSize(found.reduce((sum, { file }) => sum + file.size, 0) / 10);
  const [first] = found;
  const top = first?.path.includes('/') ? first.path.slice(0, first.path.indexOf('/') + 1) : '';
  const isOneFolder = top !== '' && found.every(({ path }) => path.startsWith(top));
  const content: Zippable = {};
  for (const { path, file } of found)
    content[isOneFolder ? path.slice(top.length) : path] = new Uint8Array(await file.arrayBuffer());
  const runtime = runtimeOf(new Set(Object.keys(content)));
  if (runtime === null && !('src/__init__.py' in content))
    throw new Error(
      'It has neither src/program.py, with the function run, nor a Dockerfile. Drop the folder of the service itself.',
    );
  const zipped = zipSync(content, { level: 6 });
  checkSize(zipped.length);
  const name = isOneFolder ? top.slice(0, -1) : 'service';
  const file = new File([zipped.slice()], `${name}.zip`, { type: 'application/zip' });
  return { file, name, summary: `${found.length} files`, isWorkflow: false, runtime };
}

/** A project with both a program and a Dockerfile is one of the Python template, as for the command line. */
function runtimeOf(names: ReadonlySet<string>): Runtime | null {
  if (names.has('src/program.py')) return 'PYTHON_TEMPLATE';
  return names.has('Dockerfile') || names.has('Containerfile') ? 'DOCKER' : null;
}

/** Names of the files in a ZIP, from its directory; nothing is unpacked. Empty when it cannot be read. */
function namesIn(zip: Uint8Array): ReadonlySet<string> {
  const names = new Set<string>();
  try {
    unzipSync(zip, { filter: ({ name }) => (names.add(name), false) });
  } catch {
    return new Set(); // the platform says what is wrong with it
  }
  return names;
}

function checkSize(bytes: number): void {
  if (bytes > MOST_BYTES) throw new Error('It is larger than 64 MB as a ZIP. Put large data into a data pool.');
}

function nameOf(file: string): string {
  return file.replace(/\.[^.]*$/, '');
}

/** All files below an entry, with their paths. Folders that are left out are not read. */
async function filesOf(entry: FileSystemEntry, at = ''): Promise<Found[]> {
  const path = at + entry.name;
  if (LEFT_OUT.test(path)) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Found[] = [];
  // One call reads 100 entries at most.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const inner of entries) found.push(...(await filesOf(inner, `${path}/`)));
  }
}
