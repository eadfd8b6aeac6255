import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Bytes of a build as a browser loads them: texts with brotli, fonts as they are. */
export interface Sizes {
  /** Bytes that the first visit loads, by kind. */
  readonly first: { readonly js: number; readonly css: number; readonly font: number };
  /** Bytes of the scripts that each page loads beside those of the first visit. */
  readonly pages: Readonly<Record<string, number>>;
  /** The parts that are loaded later, by the name of the part without the hash of its content; equal names are added up. */
  readonly later: Readonly<Record<string, number>>;
}

/** The font that a page in English loads: the others are for other scripts. */
const FONT = /^inter-latin-[\w-]{8}\.woff2$/;

/** Pages whose scripts are counted: their own part, with what it imports. */
const PAGES = ['run-page', 'model'];

/** Measures a build in a folder. The first visit loads what index.html names, and what these scripts import at once. */
export function sizesOf(folder: string): Sizes {
  const assets = path.join(folder, 'assets');
  const files = readdirSync(assets).filter((name) => !name.endsWith('.br'));
  const named = (text: string): string[] => files.filter((name) => text.includes(name));
  const first = closureOf(files, assets, named(readFileSync(path.join(folder, 'index.html'), 'utf8')));
  const bytes = (name: string): number => sizeOf(path.join(assets, name));
  const sum = (names: Iterable<string>): number => [...names].reduce((all, name) => all + bytes(name), 0);
  const ofKind = (ending: string) => [...first].filter((name) => name.endsWith(ending));
  const beside = (page: string): number => {
    const own = files.filter((name) => partOf(name) === page);
    if (own.length === 0) throw new Error(`The build has no part ${page}`);
    return sum([...closureOf(files, assets, own)].filter((name) => name.endsWith('.js') && !first.has(name)));
  };
  const later: Record<string, number> = {};
  for (const name of files.filter((one) => one.endsWith('.js') && !first.has(one)).toSorted()) {
    const part = partOf(name);
    later[part] = (later[part] ?? 0) + bytes(name);
  }
  return {
    first: { js: sum(ofKind('.js')), css: sum(ofKind('.css')), font: sum(files.filter((name) => FONT.test(name))) },
    pages: Object.fromEntries(PAGES.map((page) => [page, beside(page)])),
    later,
  };
}

/** The part that a script is, without the hash of its content. */
function partOf(name: string): string {
  return name.replace(/-[\w-]{8}\.js$/, '');
}

/** These files, and all that they import when they are loaded. */
function closureOf(files: readonly string[], assets: string, names: readonly string[]): ReadonlySet<string> {
  const all = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (all.has(name)) continue;
    all.add(name);
    if (!name.endsWith('.js')) continue;
    const imported = importsOf(assets, name);
    open.push(...files.filter((other) => imported.has(other)));
  }
  return all;
}

/** Files that a script imports when it is loaded, not those that it imports when they are needed. */
function importsOf(assets: string, name: string): ReadonlySet<string> {
  const text = readFileSync(path.join(assets, name), 'utf8');
  return new Set(
    [...text.matchAll(/(?:^|[;}])import\s*(?:[\w${},*\s]*?from\s*)?["']\.\/([^"']+)["']/g)].map(([, one]) => one ?? ''),
  );
}

function sizeOf(file: string): number {
  const compressed = `${file}.br`;
  return statSync(readdirSync(path.dirname(file)).includes(path.basename(compressed)) ? compressed : file).size;
}
