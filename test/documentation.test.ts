import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ON_BOTH, ON_EITHER } from '@kethub/server/testing/databases';
import { pages } from '../script/generate/pages.ts';
import { jdkTool } from '../script/jgit.ts';
import { javaTool } from '../script/keycloak.ts';
import { containerTools } from '../script/container-engine.ts';
import { podmanTools } from '../script/podman.ts';
import { postgresTool } from '../script/postgres.ts';
import { kubernetesTools } from '../script/kubernetes.ts';
import { registryTools } from '../script/registry.ts';
import { accountingTools } from '../script/slurm/accounting.ts';
import { slurmTools } from '../script/slurm.ts';
import { benchTools, runtimeTools, testTools } from '../script/system-tools.ts';
import { systemdTools } from '../script/systemd.ts';
import { ALONE, chooseNothing, IN_EACH_RUN, LONG, LONGEST, LONGEST_DEEP, testFiles } from '../script/test-files.ts';

const root = path.resolve(import.meta.dirname, '..');
const notOurs = ['**/node_modules/**', '.runtime/**', '.git/**', '**/.kethub/**'];
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const found = (pattern: string): string[] => globSync(pattern, { cwd: root, exclude: notOurs }).toSorted();

describe('generated texts are what the code generates now', () => {
  test.each(pages)('$file', ({ file, renew }) => {
    const page = read(file);
    expect(page, `${file} is stale. Renew it: npm run generate`).toBe(renew(page));
  });
});

test('every variable of Kethub that the code names is on the page of the configuration', () => {
  const page = read('docs/configuration.md');
  const sources = [...found('{apps,packages,script,bench,test}/**/*.{ts,cjs,mjs,py}')];
  const names = new Set(sources.flatMap((file) => read(file).match(/\bKETHUB_[A-Z][A-Z_]*[A-Z]\b/g) ?? []));
  expect(names.size).toBeGreaterThan(0);
  const remedy = 'npm run generate writes the line of a setting; write that of a variable of tests by hand';
  expect(
    [...names].filter((name) => !page.includes(`\`${name}\``)),
    remedy,
  ).toEqual([]);
});

test.each(['running', 'catalog', 'people', 'foundation'])(
  'the rule of import of %s knows all of its rooms',
  (storey) => {
    interface Override {
      readonly files: readonly string[];
      readonly rules: Readonly<Record<string, readonly [string, { patterns: readonly { readonly regex: string }[] }]>>;
    }
    const { overrides } = JSON.parse(read('.oxlintrc.json')) as { readonly overrides: readonly Override[] };
    const rule = overrides.find(({ files }) => files.includes(`apps/server/src/${storey}/**/*.ts`));
    const expressions = rule?.rules['no-restricted-imports']?.[1].patterns.map(({ regex }) => regex) ?? [];
    // oxlint ignores an expression with a look-ahead or a look-behind.
    expect(expressions.filter((one) => one.includes('(?'))).toEqual([]);
    const refused = (imported: string): boolean => expressions.some((one) => new RegExp(one).test(imported));
    const rooms = found(`apps/server/src/${storey}/*/`).map((folder) => path.basename(folder));
    expect(rooms.length).toBeGreaterThan(0);
    expect(rooms.filter((room) => !refused(`../${room}/queries.ts`))).toEqual([]);
    expect(rooms.filter((room) => refused(`../${room}/index.ts`))).toEqual([]);
    expect(['../../api/server.ts', '../../kethub.ts'].filter((above) => !refused(above))).toEqual([]);
  },
);

test('every path that runs on both databases begins that of a test', () => {
  expect([...ON_BOTH, ...ON_EITHER].filter((start) => !testFiles.some((file) => file.startsWith(start)))).toEqual([]);
});

test('every test file that script/test-files.ts names is there', () => {
  const named = [...LONGEST, ...LONG, ...ALONE, ...LONGEST_DEEP, ...IN_EACH_RUN];
  expect(named.filter((file) => !testFiles.includes(file))).toEqual([]);
});

test.each([
  [['packages/feel', './test/documentation', 'DATAPOOLS/data-pools', 'matrix.test.ts:12'], 'usual', []],
  [['packages/feel', 'no-such-file'], 'usual', ['no-such-file: no test file has this in its path']],
  [['test/faults'], 'usual', []],
  [
    ['test/faults.deep'],
    'usual',
    ['test/faults.deep: its tests are deep. Run them with: npm run test:deep -- test/faults.deep'],
  ],
  [['packages/feel'], 'deep', ['packages/feel: its tests are not deep. Run them with: npm test -- packages/feel']],
  [['--shard=1/4', '-t', 'the name of a test', 'fuzz'], 'deep', []],
] as const)('the chosen files %j of a %s run: %j', (chosen, kind, missed) => {
  expect(chooseNothing(chosen, kind)).toEqual(missed);
});

test('every tool of the system that is installed has a line, and no other', () => {
  const [, section = ''] = read('docs/dependencies.md').split('## Tools of the system');
  const listed = [...section.matchAll(/^\| [^|]+ \| `([^`]+)` \|/gm)].map(([, name]) => name ?? '');
  const needed = [
    ...runtimeTools,
    ...systemdTools,
    postgresTool,
    javaTool,
    jdkTool,
    ...testTools,
    ...containerTools,
    ...podmanTools,
    ...slurmTools,
    ...accountingTools,
    ...kubernetesTools,
    ...registryTools,
    ...benchTools,
  ].map((tool) => tool.package);
  expect(listed.toSorted()).toEqual([...new Set(needed)].toSorted());
});

describe('links lead somewhere', () => {
  test.each(found('**/*.md'))('%s', (file) => {
    const folder = path.dirname(file);
    const broken = relativeLinks(read(file)).filter((link) => {
      const [target = '', anchor] = decodeURI(link).split('#');
      const linked = target === '' ? file : path.join(folder, target);
      if (!existsSync(path.join(root, linked))) return true;
      return anchor !== undefined && linked.endsWith('.md') && !headings(read(linked)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

/** Links and pictures, also in HTML, that name no other site. */
function relativeLinks(page: string): string[] {
  const text = withoutCode(page);
  const links = [/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g, /^\[[^\]]+\]:\s*(\S+)/gm, /\b(?:href|src|srcset)="([^"]+)"/g];
  return links
    .flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, link]) => link ?? []))
    .filter((link) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(link));
}

/** The anchors of a page, as GitHub makes them from its headings. */
function headings(page: string): string[] {
  return [...withoutFences(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/\]\([^)]*\)/g, '')
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutFences(page: string): string {
  return page.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, '');
}

function withoutCode(page: string): string {
  return withoutFences(page).replaceAll(/(`+)[^`][\s\S]*?\1/g, '');
}
