import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GitClient, gitTokenOf } from '@kethub/server/testing/git-client';
import {
  AWKWARD_BRANCH,
  AWKWARD_NAMES,
  largeHistory,
  LONG_MESSAGE,
  makeAwkward,
  NUMBER_BRANCH,
} from './awkward-repository.ts';
import { open as openPage, picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { keysOf } from './keys.ts';
import { unreachedByTab } from './reach.ts';

const HOSTILE_NAME = '<img src=x onerror=alert(1)>.txt';
const HOSTILE_BRANCH = `it's"<b>quoted</b>"`;
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><script>fetch("/api/stolen")</script><rect width="120" height="60" fill="teal"/></svg>';
const README = [
  '# Solver',
  '',
  'It **solves**. See [the program](src/program.py), [the guide](docs/guide.md), [nothing](../../etc/passwd),',
  '[bad](javascript:alert(1)) and [worse](//evil.example/x).',
  '',
  '![A cut](docs/cut.svg) ![far](https://evil.example/spy.png)',
  '',
  '<script>alert(1)</script>',
].join('\n');
const PROGRAM_TEXT = ['# A comment', 'def run(data: dict) -> dict:', '    return {"sum": 42}', ''].join('\n');

/** A picture in the page; the tests are compiled without the types of a browser. */
interface Sized {
  readonly naturalWidth: number;
}

describe.skipIf(!existsSync(PROGRAM))('repositories in a browser', () => {
  let dashboard: Dashboard;
  let client: GitClient;
  let visitor: Page;
  let open: string;
  let closed: string;
  let commits: string[];
  let url: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    client = await GitClient.open();
    const { kethub } = dashboard;
    const token = await gitTokenOf(kethub.client);
    const made = await kethub.client.createImplementation({ json: { name: 'solver', visibility: 'PUBLIC' } });
    open = made.id;
    closed = (await kethub.client.createImplementation({ json: { name: 'closed' } })).id;
    url = made.cloneUrl.replace('://', `://ada:${token}@`);
    commits = [
      await client.commit(
        'one',
        {
          'README.md': README,
          'src/program.py': PROGRAM_TEXT,
          'docs/guide.md': '# Guide\n\n[back](../README.md)\n',
          'docs/cut.svg': PICTURE,
          'data.bin': Buffer.from([0, 1, 2, 255]),
          'large.txt': Buffer.alloc(600 * 1024, 'a'),
          'long.py': Array.from({ length: 5_000 }, (_, line) => `x${line} = "${line}"`).join('\n'),
          'turned.py': 'if role != "user\u202e":\n    pass\n',
          [HOSTILE_NAME]: 'inert\n',
        },
        'first',
      ),
      await client.commit('one', { 'src/program.py': `${PROGRAM_TEXT}# two\n` }, '\u001b[31mred\u001b[0m <b>two</b>'),
    ];
    await client.run('one', 'tag', 'v1.0.0', commits[0] ?? '');
    await client.run('one', 'branch', HOSTILE_BRANCH, commits[0] ?? '');
    await client.run('one', 'push', '-q', '--tags', url, 'main', HOSTILE_BRANCH);
    visitor = await dashboard.pageOfNobody();
  }, 240_000);
  afterAll(async () => {
    await client?.close();
    await dashboard?.close();
  });

  test('visitors find, read and clone what is public', async () => {
    const { origin } = dashboard;
    await visitor.goto(`${origin}/`);
    await visitor.getByRole('link', { name: 'Public implementations' }).click();
    await visitor.getByRole('link', { name: 'solver' }).click();
    await visitor.getByRole('heading', { name: 'Solver', level: 3 }).waitFor();
    await visitor.getByText(`git clone ${origin}/git/`).waitFor();
    expect(new URL(visitor.url()).pathname).toBe(`/implementations/${open}`);
    for (const forbidden of ['Upload files', 'Create a service'])
      expect(await visitor.getByRole('button', { name: forbidden }).count()).toBe(0);
    expect(await visitor.getByRole('link', { name: /Settings|New file/ }).count()).toBe(0);
    await picture(visitor, 'visitor-code');
    await visitor.getByRole('link', { name: 'Commits', exact: true }).click();
    await visitor.getByRole('link', { name: /two/ }).waitFor();
    // The address outlives a change of name.
    await dashboard.kethub.client.updateImplementation({ implementationId: open, json: { name: 'renamed' } });
    await visitor.goto(`${origin}/implementations/${open}/file?path=src/program.py`);
    await visitor.getByRole('heading', { name: 'renamed' }).waitFor();
    await visitor.getByRole('region', { name: 'src/program.py' }).getByText('def').first().waitFor();
  });

  test('what is private looks to visitors as if it were not there', async () => {
    const { origin } = dashboard;
    const texts: string[] = [];
    for (const id of [closed, '01a1fd32-d765-71ab-ba39-25ede922012b']) {
      await visitor.goto(`${origin}/implementations/${id}`);
      texts.push((await visitor.getByRole('alert').innerText()).replaceAll(id, 'ID').replace(/Request.*/s, ''));
    }
    expect(texts[0]).toContain('or you may not see it');
    expect(texts[1]).toBe(texts[0]);
    await picture(visitor, 'visitor-private');
  });

  test('whoever is signed in comes to the same page with their own rights', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/implementations/${open}/file?path=src/program.py#L2`);
    await page.waitForURL(`${origin}/me/implementations/${open}/file?path=src*`);
    await page.getByRole('link', { name: 'Edit or rename' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#L2');
  });

  test('a README leads to files and pictures of the same branch, and runs nothing', async () => {
    await visitor.goto(`${dashboard.origin}/implementations/${open}?ref=v1.0.0`);
    const readme = visitor.getByRole('region', { name: 'README.md' });
    await expect
      .poll(() => readme.locator('img').evaluate((image) => (image as unknown as Sized).naturalWidth))
      .toBe(120);
    expect(await readme.locator('img').count()).toBe(1);
    expect(await readme.getByRole('link', { name: /nothing|bad|worse/ }).count()).toBe(0);
    await readme.getByText('<script>alert(1)</script>').waitFor();
    await readme.getByRole('link', { name: 'the program' }).click();
    await visitor.waitForURL(/file\?.*ref=v1\.0\.0/);
    expect(new URL(visitor.url()).searchParams.get('path')).toBe('src/program.py');
  });

  test('code has colours, and each line an address', async () => {
    const { origin } = dashboard;
    await visitor.goto(`${origin}/implementations/${open}/file?path=long.py#L4000-L4002`);
    const code = visitor.getByRole('region', { name: 'long.py' });
    await code.locator('#L4001.marked .text').getByText('"4000"').waitFor();
    expect(await code.locator('#L4001').isVisible()).toBe(true);
    expect(await code.locator('.line.marked').count()).toBe(3);
    expect(await code.locator('.line').count()).toBeLessThan(1_500);
    await code.locator('#L4001 a').click();
    await visitor.waitForURL(/#L4001$/);
    await code.locator('#L4005 a').click({ modifiers: ['Shift'] });
    await visitor.waitForURL(/#L4001-L4005$/);
    await picture(visitor, 'visitor-lines');
    await visitor.goto(`${origin}/implementations/${open}/file?path=src/program.py`);
    await visitor.locator('.comment').getByText('# A comment').waitFor();
    await visitor.getByRole('link', { name: 'Permanent link' }).click();
    await visitor.waitForURL(new RegExp(`ref=${commits[1]}`));
    await picture(visitor, 'visitor-file');
  });

  test('pictures are shown; large, binary and deceptive files are said so', async () => {
    const { origin } = dashboard;
    const at = (path: string) =>
      visitor.goto(`${origin}/implementations/${open}/file?path=${encodeURIComponent(path)}`);
    await at('docs/cut.svg');
    await expect
      .poll(() => visitor.locator('img').evaluate((image) => (image as unknown as Sized).naturalWidth))
      .toBe(120);
    await picture(visitor, 'visitor-picture');
    await at('data.bin');
    await visitor.getByText('It is a binary file').waitFor();
    await at('large.txt');
    await visitor.getByText('are not shown: download it').waitFor();
    await at('turned.py');
    await visitor.getByRole('note').getByText('change the direction of text').waitFor();
    await at(HOSTILE_NAME);
    await visitor.getByRole('region', { name: HOSTILE_NAME }).getByText('inert').waitFor();
    await at('src');
    await visitor.getByRole('link', { name: 'program.py' }).waitFor();
    const saved = visitor.waitForEvent('download');
    await at('data.bin');
    await visitor.getByRole('button', { name: 'Download' }).click();
    expect((await saved).suggestedFilename()).toBe('data.bin');
  });

  test('branches, tags, two of them compared, and an archive', async () => {
    await visitor.goto(`${dashboard.origin}/implementations/${open}/branches`);
    await visitor.getByRole('link', { name: HOSTILE_BRANCH, exact: true }).waitFor();
    await picture(visitor, 'visitor-branches');
    const saved = visitor.waitForEvent('download');
    await visitor.getByRole('button', { name: 'TAR of v1.0.0' }).click();
    expect((await saved).suggestedFilename()).toBe('renamed.tar');
    await visitor.getByRole('row', { name: HOSTILE_BRANCH }).getByRole('link', { name: 'with main' }).click();
    await visitor.getByText('has 0 commits').waitFor();
    await visitor.getByRole('button', { name: 'Swap' }).click();
    await visitor.getByText('has 1 commit that').waitFor();
    await visitor
      .getByRole('region', { name: /Changes of src\/program.py/ })
      .getByText('+# two')
      .waitFor();
    await visitor.getByRole('link', { name: /<b>two<\/b>/ }).waitFor();
    await picture(visitor, 'visitor-compare');
    await visitor.getByLabel('To').fill(commits[0] ?? '');
    await visitor.getByLabel('To').press('Enter');
    await visitor.getByText('has 0 commits').or(visitor.getByText('Both are the same commit')).waitFor();
    await visitor.getByLabel('To').fill('no such');
    await visitor.getByRole('button', { name: 'Compare' }).click();
    await visitor.getByRole('alert').waitFor();
  });

  test('a file is made, edited, renamed and deleted', async () => {
    const { page, origin, kethub } = dashboard;
    const read = async (path: string) =>
      (await kethub.client.readImplementationFile({ implementationId: open, path })).text();
    await page.goto(`${origin}/me/implementations/${open}`);
    await page.getByRole('link', { name: 'New file' }).click();
    await page.getByLabel('Path').fill('README.md');
    await page.getByLabel('Text').fill('one\n');
    await page.getByRole('button', { name: 'Commit to main' }).click();
    await page.getByText('has README.md already').waitFor();
    await page.getByLabel('Path').fill('.git/config');
    await page.getByRole('button', { name: 'Commit to main' }).click();
    await page.getByText('is no path of a file').waitFor();
    await page.getByLabel('Path').fill('notes/a b.txt');
    await page.getByRole('button', { name: 'Commit to main' }).click();
    await page.getByRole('region', { name: 'notes/a b.txt' }).getByText('one').waitFor();
    await page.getByRole('link', { name: 'Edit or rename' }).click();
    await page.getByLabel('Path').fill('notes/b.txt');
    await page.getByLabel('Text').fill('one\ntwo\n');
    await picture(page, 'implementation-edit');
    await page.getByRole('button', { name: 'Commit to main' }).click();
    await page.getByRole('region', { name: 'notes/b.txt' }).getByText('two').waitFor();
    expect(await read('notes/b.txt')).toBe('one\ntwo\n');
    await expect(read('notes/a b.txt')).rejects.toThrow();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect(read('notes/b.txt')).rejects.toThrow();
  });

  test('a push to another file is followed; one to the same file shows both', async () => {
    const { page, origin, kethub } = dashboard;
    const push = async (path: string, text: string) => {
      const body = new FormData();
      body.append('files', new Blob([text]), path);
      await kethub.client.commitToImplementation({ implementationId: open, body });
    };
    await push('windows.txt', 'a\r\nb\r\n');
    await page.goto(`${origin}/me/implementations/${open}/edit?path=windows.txt`);
    await page.getByLabel('Text').fill('a\nmine\n');
    await push('other.txt', 'other');
    await page.getByRole('button', { name: 'Commit to main' }).click();
    await page.getByRole('region', { name: 'windows.txt' }).getByText('mine').waitFor();
    const read = async () =>
      (await kethub.client.readImplementationFile({ implementationId: open, path: 'windows.txt' })).text();
    expect(await read()).toBe('a\r\nmine\r\n');
    await page.getByRole('link', { name: 'Edit or rename' }).click();
    await page.getByLabel('Text').fill('mine again\n');
    await push('windows.txt', 'theirs\r\n');
    await page.getByRole('button', { name: 'Commit to main' }).click();
    await page.getByText('Somebody else has changed this').waitFor();
    await page.getByRole('cell', { name: /theirs/ }).waitFor();
    expect(await read()).toBe('theirs\r\n');
    await picture(page, 'implementation-conflict');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByRole('region', { name: 'windows.txt' }).getByText('mine again').waitFor();
    expect(await read()).toBe('mine again\r\n');
  });

  test('awkward names, encodings, links and commits are shown as what they are', async () => {
    const { origin, kethub } = dashboard;
    const { id, cloneUrl } = await kethub.client.createImplementation({
      json: { name: 'awkward', visibility: 'PUBLIC' },
    });
    const { merge, before } = await makeAwkward(client, 'awkward');
    await client.run(
      'awkward',
      'push',
      '-q',
      '--all',
      url.replace(/[^/]*\/[^/]*$/, cloneUrl.split('/').slice(-2).join('/')),
    );
    const at = `${origin}/implementations/${id}`;
    await visitor.goto(at);
    const readme = visitor.getByRole('region', { name: 'README.md', exact: true });
    await readme.getByRole('heading', { name: 'Solver', level: 3 }).waitFor();
    await readme.getByRole('columnheader', { name: 'Meaning' }).waitFor();
    await readme.getByRole('cell', { name: '<b>y</b>' }).waitFor();
    await readme.getByRole('listitem').filter({ hasText: 'nested' }).first().waitFor();
    expect(await readme.getByRole('img', { name: 'done' }).count()).toBe(1);
    await readme.locator('.keyword', { hasText: 'def' }).waitFor();
    await picture(visitor, 'awkward-code');
    for (const name of AWKWARD_NAMES) {
      await visitor.goto(at);
      const shown = name.replace('\n', String.raw`\u000a`).replace('\u202e', String.raw`\u202e`);
      await visitor.getByRole('link', { name: shown, exact: true }).click();
      await visitor.getByRole('region', { name }).getByText('content of').waitFor();
      await visitor.getByRole('link', { name: 'History' }).click();
      await visitor.getByRole('link', { name: 'change', exact: true }).waitFor();
    }
    const file = (path: string) => visitor.goto(`${at}/file?path=${encodeURIComponent(path)}`);
    for (const binary of ['utf16.txt', 'latin1.txt']) {
      await file(binary);
      await visitor.getByText('no text in UTF-8').waitFor();
    }
    await file('no-end.txt');
    await visitor.getByText('without an end').waitFor();
    await file('sub');
    await visitor.getByText('It is a submodule').waitFor();
    await file('linked/README.md');
    await visitor.getByRole('link', { name: '../pages/guide.md' }).click();
    await visitor.waitForURL(/path=pages%2Fguide.md/);
    await visitor.goto(`${at}?path=linked`);
    await visitor.getByText('is a link to another file').waitFor();
    await visitor.goto(`${at}?path=large`);
    await visitor.getByText('has 5.0 MB. Files of more than').waitFor();
    await visitor.goto(`${at}/commits/${merge}`);
    await visitor.getByText('It merges 2 commits').waitFor();
    await visitor.getByText('former.py → later.py').waitFor();
    await visitor
      .getByRole('row', { name: /picture.bin/ })
      .getByText('binary')
      .waitFor();
    await visitor.getByText(/Binary files a\/picture.bin and b\/picture.bin differ/).waitFor();
    await picture(visitor, 'awkward-merge');
    await visitor.goto(`${at}/commits/${before}`);
    await visitor.getByText('Nobody').first().waitFor();
    expect((await visitor.locator('main').innerText()).length).toBeGreaterThan(LONG_MESSAGE.length);
    await visitor.goto(`${at}/branches`);
    await visitor.getByRole('link', { name: AWKWARD_BRANCH, exact: true }).click();
    await visitor.getByRole('link', { name: 'later.py' }).click();
    await visitor.getByRole('region', { name: 'later.py' }).getByText('def').first().waitFor();
    // An address that somebody has typed.
    await visitor.goto(`${at}/file?ref=${NUMBER_BRANCH}&path=later.py`);
    await visitor.getByRole('region', { name: 'later.py' }).waitFor();
    await visitor.goto(`${at}/commits?ref=none`);
    await visitor.getByRole('alert').getByText('no branch, tag or commit none').waitFor();
    // It is deleted while it is open.
    await visitor.goto(at);
    await readme.waitFor();
    await kethub.client.deleteImplementation({ implementationId: id });
    await visitor.getByRole('link', { name: 'Commits', exact: true }).click();
    await visitor.getByText('or you may not see it').first().waitFor();
  });

  test('20,000 files in one folder and 5,000 commits are found and read', async () => {
    const { origin, kethub } = dashboard;
    const { id, cloneUrl } = await kethub.client.createImplementation({
      json: { name: 'large', visibility: 'PUBLIC' },
    });
    await client.run('', 'init', '-q', '--bare', 'large');
    await client.bytes('large', largeHistory(), 'fast-import', '--quiet');
    await client.run(
      'large',
      'push',
      '-q',
      url.replace(/[^/]*\/[^/]*$/, cloneUrl.split('/').slice(-2).join('/')),
      'main',
    );
    await visitor.goto(`${origin}/implementations/${id}?path=many`);
    await visitor.getByText('more entries than are shown').waitFor();
    expect(await visitor.getByRole('row').count()).toBeLessThan(300);
    await visitor.getByLabel('Find in this folder').fill('f19999');
    await visitor.getByRole('link', { name: 'f19999.txt' }).click();
    await visitor.getByRole('region', { name: 'many/f19999.txt' }).getByText('many').waitFor();
    await visitor.getByRole('link', { name: 'Commits', exact: true }).click();
    await visitor.getByRole('link', { name: 'c 4998' }).waitFor();
    await visitor.getByRole('button', { name: 'Show more' }).click();
    await visitor.getByRole('link', { name: 'c 4900' }).waitFor();
    await kethub.client.deleteImplementation({ implementationId: id });
  });

  test('every page is used by keys alone', async () => {
    const { page, origin } = dashboard;
    const at = `${origin}/me/implementations/${open}`;
    const pages = [
      '',
      '/file?path=src/program.py',
      '/commits',
      `/commits/${commits[1]}`,
      '/branches',
      '/compare?head=v1.0.0',
    ];
    const more = ['/services', '/settings', '/edit?path=README.md'];
    const missing: string[] = [];
    for (const one of [...pages, ...more]) {
      await openPage(page, at + one);
      missing.push(...(await unreachedByTab(page)).map((name) => `${one}: ${name}`));
    }
    expect(missing).toEqual([]);
    const keys = keysOf(page);
    await page.goto(at);
    await keys.press('link', 'New file');
    await keys.type('Path', 'by/keys.txt');
    await page.keyboard.press('Tab');
    await page.keyboard.type('typed');
    await keys.press('button', 'Commit to main');
    await page.getByRole('region', { name: 'by/keys.txt' }).getByText('typed').waitFor();
    await page.getByRole('combobox', { name: 'Branch or tag' }).focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('v1.0.0');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/ref=v1\.0\.0/);
    await page.goto(`${at}/file?path=by/keys.txt`);
    await keys.press('button', 'Delete');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Delete');
  });

  test('no screen has a barrier, in light and dark, also on a telephone', async () => {
    const reading = ['', '/file?path=src/program.py', '/file?path=docs/cut.svg', '/branches', '/compare?head=v1.0.0'];
    const hostile = [`/commits/${commits[1]}`, `?ref=${encodeURIComponent(HOSTILE_BRANCH)}`, '/edit?path=README.md'];
    const screens = [...reading, ...hostile].map((one) => `/me/implementations/${open}${one}`);
    expect(await dashboard.barriersOn(screens)).toEqual([]);
    expect(await dashboard.barriersOnPage(visitor, ['/implementations', `/implementations/${open}`])).toEqual([]);
  }, 240_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
