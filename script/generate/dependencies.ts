import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../run.ts';
import { between, table } from './marks.ts';

interface Manifest {
  readonly name: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Dependency {
  readonly version: string;
  readonly licence: string;
  /** Folders whose package.json names it. */
  readonly pinnedIn: readonly string[];
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { license?: string; link?: boolean; dev?: boolean; devOptional?: boolean }>
  >;
}

/** `| [fastify](address) | 5.12.8 | MIT | apps/server | the reason |`: only package and reason are written by hand. */
const ROW = /^\| \[(?<name>[^\]]+)\]\((?<address>[^)]+)\) \|[^|]*\|[^|]*\|[^|]*\|(?<reason>.*)\|$/gm;

/**
 * docs/dependencies.md with versions, licences and folders from the package.json files. Throws when a direct dependency
 * has no line there, or a line no dependency: somebody who knows the reason must write it.
 */
export function renewDependencies(page: string): string {
  const dependencies = directDependencies();
  const named = new Set<string>();
  const renewed = page.replaceAll(ROW, (...match: unknown[]) => {
    const { name, address, reason } = match.at(-1) as { name: string; address: string; reason: string };
    const dependency = dependencies.get(name);
    if (!dependency) throw new Error(`docs/dependencies.md has a line for ${name}, on which nothing depends directly.`);
    named.add(name);
    const { version, licence, pinnedIn } = dependency;
    return `| [${name}](${address}) | ${version} | ${licence} | ${pinnedIn.join(', ')} |${reason}|`;
  });
  const missing = [...dependencies.keys()].filter((name) => !named.has(name));
  if (missing.length > 0)
    throw new Error(
      `docs/dependencies.md says nothing of ${missing.join(', ')}. Add: | [name](https://…) | | | | why this one |`,
    );
  return between(renewed, 'licences', licences());
}

function directDependencies(): Map<string, Dependency> {
  const manifests = ['package.json', ...globSync('{apps,packages}/*/package.json', { cwd: root }).toSorted()].map(
    (file): [string, Manifest] => [path.dirname(file), readJson<Manifest>(file)],
  );
  const own = new Set(manifests.map(([, { name }]) => name));
  const all = new Map<string, Dependency>();
  for (const [folder, manifest] of manifests) {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      if (own.has(name)) continue;
      const known = all.get(name);
      if (known && known.version !== version)
        throw new Error(`${name} is ${known.version} in ${known.pinnedIn.join(', ')} but ${version} in ${folder}.`);
      const pinnedIn = [...(known?.pinnedIn ?? []), folder === '.' ? 'root' : folder];
      all.set(name, { version, licence: licenceOf(folder, name), pinnedIn });
    }
  }
  return all;
}

/** npm installs a package beside the folder that needs it when the root has another version. */
function licenceOf(folder: string, name: string): string {
  const near = path.join(folder, 'node_modules', name, 'package.json');
  const installed = existsSync(path.join(root, near)) ? near : `node_modules/${name}/package.json`;
  return readJson<Manifest>(installed).license ?? 'none stated';
}

/** The licences of everything that running Kethub installs, from the lock file. */
function licences(): string {
  const counts = new Map<string, number>();
  for (const [folder, one] of Object.entries(readJson<Lock>('package-lock.json').packages)) {
    if (!folder.includes('node_modules/') || one.link || one.dev || one.devOptional) continue;
    const licence = one.license ?? 'none stated';
    counts.set(licence, (counts.get(licence) ?? 0) + 1);
  }
  const rows = [...counts].toSorted(([, a], [, b]) => b - a).map(([licence, count]) => [licence, String(count)]);
  return table(['Licence', 'Packages'], rows);
}

/** A file of npm. npm has checked its form when it installed from it. */
function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8')) as T;
}
