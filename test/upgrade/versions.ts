import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { root } from '../../script/run.ts';
import { trackedFiles } from '../../script/tracked.ts';

const MIGRATIONS = 'apps/server/src/foundation/storage/migrations';

/** A version of the platform in a folder of its own. */
export interface Version {
  readonly folder: string;
  /** The file that starts a process. */
  readonly program: string;
  /** Names of its migrations. */
  readonly migrations: readonly string[];
}

/** Unpacks a tag or commit. It uses the installed packages of the work tree. */
export function unpackCommit(ref: string, folder: string): Version {
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', ref], { cwd: root, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  return opened(folder);
}

/** Copies the work tree. */
export function copyWorkTree(folder: string): Version {
  for (const file of trackedFiles()) cpSync(path.join(root, file), path.join(folder, file));
  return opened(folder);
}

/**
 * Makes the next version of a copy. It has a migration that adds columns, a table and indexes to what is used most, and
 * a runner with other code.
 */
export function changeToNext({ folder }: Version): Version {
  writeFileSync(
    path.join(folder, MIGRATIONS, '9999-next.ts'),
    `import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    'alter table executions add column next_text text',
    'alter table executions add column next_number bigint not null default 7',
    'alter table service_versions add column next_number bigint not null default 7',
    'alter table workers add column next_number bigint not null default 7',
    'create table next_things (id text primary key, execution_id text references executions (id) on delete cascade)',
    'create index executions_by_next on executions (next_number) where next_number <> 7',
  ])
    await sql.raw(statement).execute(db);
}
`,
  );
  const index = path.join(folder, MIGRATIONS, 'index.ts');
  const text = readFileSync(index, 'utf8');
  const changed = text
    .replace(/\n\n/, `\nimport * as next from './9999-next.ts';\n\n`)
    .replace(/((?:const|let) migrations: [^{]*\{[^}]*)\}/, `$1  '9999-next': next,\n}`);
  if (!/'9999-next': next/.test(changed)) throw new Error(`No list of migrations was found in ${index}`);
  writeFileSync(index, changed);
  appendFileSync(path.join(folder, 'packages/runtime/src/runner/main.ts'), '\n// The next version.\n');
  return opened(folder);
}

function opened(folder: string): Version {
  installPackages(folder);
  const migrations = readdirSync(path.join(folder, MIGRATIONS))
    .filter((name) => /^\d{4}-.*\.ts$/.test(name))
    .map((name) => path.basename(name, '.ts'))
    .toSorted();
  return { folder, program: path.join(folder, 'apps/server/src/main.ts'), migrations };
}

/** Shows the installed packages in the folder, and its own in the place of those of the work tree. */
function installPackages(folder: string): void {
  const target = path.join(folder, 'node_modules');
  if (existsSync(target)) return;
  mkdirSync(path.join(target, '@kethub'), { recursive: true });
  const installed = path.join(root, 'node_modules');
  for (const name of readdirSync(installed))
    if (name !== '@kethub') symlinkSync(path.join(installed, name), path.join(target, name));
  for (const group of ['apps', 'packages'])
    for (const name of readdirSync(path.join(folder, group))) {
      symlinkSync(path.join(folder, group, name), path.join(target, '@kethub', name));
      const own = path.join(root, group, name, 'node_modules');
      if (existsSync(own)) symlinkSync(own, path.join(folder, group, name, 'node_modules'));
    }
}
