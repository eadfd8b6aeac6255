import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, writeFiles } from '../testing/folder.ts';
import { listProject } from './files.ts';

async function names(folder: string): Promise<string[]> {
  return (await listProject(folder)).files.map(({ name }) => name);
}

/** The files that git itself includes: every file that is not ignored in `folder`. */
function gitNames(folder: string): string[] {
  const environment = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const output = execFileSync('git', ['ls-files', '-z', '--others', '--exclude-standard'], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  return output.split('\0').filter(Boolean).sort();
}

async function repository(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await folderWith(files);
  execFileSync('git', ['init', '--quiet', folder]);
  return folder;
}

const tree = {
  'src/__init__.py': '',
  'src/program.py': '',
  'src/data/big.csv': '',
  'src/data/small.csv': '',
  'src/data/notes/read me.txt': '',
  'build/out.bin': '',
  'build/keep.txt': '',
  'docs/a/b/c.md': '',
  'docs/a/b/d.txt': '',
  'tmp/x': '',
  'deep/tmp/x': '',
  'name#hash': '',
  '!bang': '',
  'UPPER.TXT': '',
  'trailing ': '',
};

const rules: Record<string, Record<string, string>> = {
  'nothing is ignored': {},
  'a pattern without a slash holds at every depth': { '.gitignore': '*.csv\ntmp/\n' },
  'a pattern with a slash is bound to its folder': { '.gitignore': '/tmp\n/docs/a/b/*.md\n' },
  'a later negation takes a file back in': { '.gitignore': '*.csv\n!small.csv\n' },
  'a file cannot come back when its folder is ignored': { '.gitignore': 'build/\n!build/keep.txt\n' },
  'a folder that is ignored by content can give a file back': { '.gitignore': 'build/*\n!build/keep.txt\n' },
  'a deeper file overrules a higher one': { '.gitignore': '*.csv\n', 'src/data/.gitignore': '!big.csv\n' },
  'a deeper file ignores what a higher one took back in': {
    '.gitignore': '*.csv\n!small.csv\n',
    'src/.gitignore': 'data/small.csv\n',
  },
  'everything but': { '.gitignore': '/*\n!/src/\n!.gitignore\n' },
  'two stars': { '.gitignore': '**/b/**\ndeep/**/x\n' },
  'comments, escapes and spaces': { '.gitignore': '# no\n\\!bang\nname\\#hash\ntrailing\\ \nsrc  \n' },
  'case matters': { '.gitignore': 'upper.txt\nUPPER.*\n' },
  'character classes': { '.gitignore': '[a-d]*/\n' },
  'rules in a folder that is ignored do not count': { '.gitignore': 'docs/\n', 'docs/.gitignore': '!*\n' },
};

describe('what is uploaded is what git would take', () => {
  test.each(Object.entries(rules))('%s', async (_name, files) => {
    const folder = await repository({ ...tree, ...files });
    expect(await names(folder)).toEqual(gitNames(folder));
  });

  test('the rules of the repository hold for a project in one of its folders', async () => {
    const project = Object.fromEntries(Object.entries(tree).map(([name, text]) => [`services/one/${name}`, text]));
    const folder = await repository({
      ...project,
      '.gitignore': '*.csv\n/services/one/build\n/build\nservices/*/tmp/\n',
      'services/.gitignore': '!small.csv\n',
      'services/one/.gitignore': 'docs/\n',
    });
    const one = path.join(folder, 'services/one');
    expect(await names(one)).toEqual(gitNames(one));
    expect(await names(one)).not.toContain('src/data/big.csv');
  });
});

test('outside of a repository the folders above have no say', async () => {
  const folder = await folderWith({ '.gitignore': '*\n', 'one/src/program.py': '' });
  expect(await names(path.join(folder, 'one'))).toEqual(['src/program.py']);
});

test('.ketignore has the last word in its folder', async () => {
  const folder = await folderWith({
    '.gitignore': '*.bin\n',
    '.ketignore': '!model.bin\n/README.md\n.*ignore\n',
    'model.bin': '',
    'other.bin': '',
    'README.md': '',
    'src/program.py': '',
  });
  expect(await names(folder)).toEqual(['model.bin', 'src/program.py']);
});

test('.git is never part of the archive, at any depth, whatever the rules say', async () => {
  const folder = await repository({ '.ketignore': '!.git\n', 'src/program.py': '', 'vendor/lib/code.py': '' });
  await writeFiles(folder, { 'vendor/lib/.git': 'gitdir: ../../.git/modules/lib\n', '.git/hooks/evil': '' });
  expect(await names(folder)).toEqual(['.ketignore', 'src/program.py', 'vendor/lib/code.py']);
});

test('what no service needs and what holds secrets is left out, unless a rule takes it back in', async () => {
  const files = { '.env': 'A=1', '.venv/bin/python': '', '__pycache__/a.pyc': '', 'src/program.py': '' };
  expect(await names(await folderWith(files))).toEqual(['src/program.py']);
  expect(await names(await folderWith({ ...files, '.ketignore': '!.env\n/.ketignore' }))).toEqual([
    '.env',
    'src/program.py',
  ]);
});

test('a link is followed to a file of the project, and nowhere else', async () => {
  const outside = await folderWith({ 'secret.txt': 'secret' });
  const folder = await repository({ 'src/program.py': 'code' });
  await mkdir(path.join(folder, 'links'));
  const link = (target: string, name: string) => symlink(target, path.join(folder, 'links', name));
  await link('../src/program.py', 'inside.py');
  await link(path.join(outside, 'secret.txt'), 'outside.txt');
  await link(outside, 'outside');
  await link('../.git/config', 'config');
  await link('../src', 'folder');
  await link('nothing', 'nowhere');
  const { files, skipped } = await listProject(folder);
  expect(files.map(({ name }) => name)).toEqual(['links/inside.py', 'src/program.py']);
  expect(skipped).toEqual([
    'links/config: the link leads into .git',
    'links/folder: a link to a folder is not followed',
    'links/nowhere: the link leads nowhere',
    'links/outside.txt: the link leads out of the folder',
    'links/outside: the link leads out of the folder',
  ]);
});

test('a script stays executable', async () => {
  const folder = await folderWith({ 'run.sh': '', 'data.txt': '' });
  await chmod(path.join(folder, 'run.sh'), 0o755);
  const { files } = await listProject(folder);
  expect(files.map(({ name, executable }) => [name, executable])).toEqual([
    ['data.txt', false],
    ['run.sh', true],
  ]);
});
