import { show } from './archive-entry.ts';
import { BuildError } from './problem.ts';

/** The entries of an unpacked archive, by path. */
interface Content {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** The files that a project of one runtime must hold. */
interface Project {
  /** @throws BuildError naming the missing file and the remedy. */
  check(content: Content): void;
  /** True if executable files stay executable. */
  readonly keepsExecutable: boolean;
}

/** A project of the Python template. */
export const pythonProject: Project = {
  keepsExecutable: false,
  check(content) {
    if (content.files.has('src/program.py')) return;
    refuseNested(content, ['src/program.py']);
    const there = content.files.has('program.py')
      ? 'Move program.py into a folder src.'
      : `It holds: ${contentOf(content)}.`;
    throw new BuildError(
      'program-missing',
      `The ZIP has no src/program.py. A service needs one, with a function run(data, params). ${there}`,
    );
  },
};

/** A project with a build file for an image, under one of these names. */
export function imageProject(names: readonly string[]): Project {
  return {
    keepsExecutable: true,
    check(content) {
      if (names.some((name) => content.files.has(name))) return;
      refuseNested(content, names);
      throw new BuildError(
        'dockerfile-missing',
        `The ZIP has no ${names[0]} at its top. A service of the runtime DOCKER is built with it. It holds: ${contentOf(content)}.`,
      );
    },
  };
}

function refuseNested(content: Content, wanted: readonly string[]): void {
  const top = topOf(content);
  const [only] = top;
  if (top.size !== 1 || only === undefined || !wanted.some((name) => content.files.has(`${only}/${name}`))) return;
  const command = /^[\w.-]+$/.test(only) ? `: cd ${only} && zip -r ../${only}.zip .` : '.';
  throw new BuildError(
    'archive-nested',
    `The ZIP holds the folder ${show(only)}; zip its content, not the folder itself${command}`,
  );
}

function contentOf(content: Content): string {
  const found = [...topOf(content)].toSorted().slice(0, 15).map(show).join(', ');
  return found === '' ? 'nothing' : found;
}

function topOf({ files, folders }: Content): Set<string> {
  return new Set([...files, ...folders].map((path) => path.split('/')[0] ?? ''));
}
