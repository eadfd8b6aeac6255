import { access, readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

export interface ProjectFile {
  /** Path in the archive, with slashes. */
  readonly name: string;
  /** The path of the file, or the content of a file that `ket` creates. */
  readonly path: string | Buffer;
  readonly executable: boolean;
  readonly bytes: number;
}

interface ProjectFiles {
  /** Sorted by name. */
  readonly files: readonly ProjectFile[];
  /** Files that were left out although no rule says so, with the reason. */
  readonly skipped: readonly string[];
}

/** Left out unless a rule includes them again (`!.env`). */
const defaultRules = [
  '__pycache__/',
  '*.py[cod]',
  '.venv/',
  'venv/',
  'node_modules/',
  '.DS_Store',
  '.env',
  '.env.secrets',
  '.kethub/',
];
/** Rule files of a folder. Later files overrule earlier ones. Files of other platforms are read unchanged. */
const ruleFiles = ['.gitignore', '.planqkignore', '.qhubignore', '.ketignore'];

/** The rules of one folder, for paths below it. */
interface Rules {
  /** Path relative to the folder of the rules: `a/b.py` of the project is `b.py` in its folder `a`. */
  readonly relative: (name: string) => string;
  readonly matcher: Ignore;
}

/**
 * The files of a project that belong into its archive: gitignore syntax in `.gitignore` and `.ketignore` of every
 * folder. Within a folder `.ketignore` has precedence, between folders the deeper one (gitignore(5)). In a git
 * repository the rules of the folders above hold as well. `.git` is never included, nor anything that a symbolic link
 * reaches outside the project.
 */
export async function listProject(folder: string): Promise<ProjectFiles> {
  const root = await realpath(folder);
  const files: ProjectFile[] = [];
  const skipped: string[] = [];
  const outer = [...(await rulesAbove(root)), { relative: (name: string) => name, matcher: matcherOf(defaultRules) }];

  async function walk(base: string, inherited: readonly Rules[]): Promise<void> {
    const below = (name: string) => name.slice(base.length);
    const rules = [...(await rulesIn(path.join(root, base), below)), ...inherited];
    for (const entry of await readdir(path.join(root, base), { withFileTypes: true })) {
      const name = base + entry.name;
      if (entry.name === '.git') continue;
      if (isIgnored(entry.isDirectory() ? `${name}/` : name, rules)) continue;
      if (entry.isDirectory()) await walk(`${name}/`, rules);
      else if (entry.isFile()) await add(name, path.join(root, name));
      else if (entry.isSymbolicLink()) await addLink(name);
      else skipped.push(`${name}: neither a file nor a folder`);
    }
  }

  async function addLink(name: string): Promise<void> {
    const target = await realpath(path.join(root, name)).catch(() => null);
    if (target === null) return void skipped.push(`${name}: the link leads nowhere`);
    const within = path.relative(root, target).split(path.sep);
    if (within[0] === '..' || path.isAbsolute(within.join(path.sep)))
      return void skipped.push(`${name}: the link leads out of the folder`);
    if (within.includes('.git')) return void skipped.push(`${name}: the link leads into .git`);
    if (!(await stat(target)).isFile()) return void skipped.push(`${name}: a link to a folder is not followed`);
    await add(name, target);
  }

  async function add(name: string, file: string): Promise<void> {
    const { mode, size } = await stat(file);
    files.push({ name, path: file, executable: (mode & 0o100) !== 0, bytes: size });
  }

  await walk('', outer);
  // Sorted by code unit, not by locale, so that the archive is the same on every machine.
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, skipped: skipped.sort() };
}

function matcherOf(texts: readonly string[]): Ignore {
  const matcher = ignore({ ignorecase: false });
  // Added one by one: an array would be taken for single rules, not for texts of many lines.
  for (const text of texts) matcher.add(text);
  return matcher;
}

async function rulesIn(folder: string, relative: Rules['relative']): Promise<Rules[]> {
  const texts: string[] = [];
  for (const name of ruleFiles) {
    try {
      texts.push(await readFile(path.join(folder, name), 'utf8'));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR')))
        throw error;
    }
  }
  return texts.length === 0 ? [] : [{ relative, matcher: matcherOf(texts) }];
}

/**
 * Rules of the folders above, up to the root of the git repository, the deepest first. Empty outside of a repository.
 */
async function rulesAbove(root: string): Promise<Rules[]> {
  const rules: Rules[] = [];
  let prefix = '';
  for (let folder = root; ; folder = path.dirname(folder)) {
    const within = prefix;
    if (folder !== root) rules.push(...(await rulesIn(folder, (name) => within + name)));
    if (await exists(path.join(folder, '.git'))) return rules;
    if (path.dirname(folder) === folder) return [];
    prefix = `${path.basename(folder)}/${prefix}`;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Applies rules from the deepest folder upwards. The first rule that matches decides. */
function isIgnored(name: string, rules: readonly Rules[]): boolean {
  for (const { relative, matcher } of rules) {
    const below = relative(name);
    const folder = path.posix.dirname(below);
    // The folder itself was included, so deeper rules have overruled any verdict of these rules on the folder. What its
    // content inherits from that verdict does not count.
    if (folder !== '.' && matcher.test(`${folder}/`).ignored) continue;
    const verdict = matcher.test(below);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}
