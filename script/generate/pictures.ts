import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../run.ts';
import { dashboardPictures } from './dashboard-pictures.ts';
import { withFirstStart, type FirstStart } from './first-start.ts';
import { terminalPicture } from './terminal-picture.ts';

const COLUMNS = 100;
const DIM_ELLIPSIS = '\u001B[2m…\u001B[22m';

/** Takes the pictures of the README from a real first start. Returns their files. */
export async function takePictures(): Promise<string[]> {
  const pictures = await withFirstStart(async (start) => ({
    'docs/images/start.svg': terminalPicture(
      'npm start',
      ['\u001B[32m$\u001B[39m npm start', ...shown(start)],
      COLUMNS,
    ),
    'docs/images/cut.svg': await resultFile(start, 'cut.svg'),
    ...(await dashboardPictures(start)),
  }));
  for (const [file, content] of Object.entries(pictures)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
  return Object.keys(pictures);
}

/** Sections that are cut to a useful length, as nobody copies from a picture. */
const LEFT_OUT = /^(The same from a shell|Addresses and credentials)/;

/** The lines for a reader, with an ellipsis for omitted ones. */
function shown(start: FirstStart): string[] {
  const sections = start.lines
    .map((line) => displayed(line, start))
    .join('\n')
    .split('\n\n');
  const isLeftOut = (section: string | undefined): boolean => LEFT_OUT.test(stripVTControlCharacters(section ?? ''));
  return sections
    .flatMap((section, index) => {
      if (!isLeftOut(section)) return [shortened(section.split('\n')).join('\n')];
      return isLeftOut(sections[index - 1]) ? [] : [DIM_ELLIPSIS];
    })
    .join('\n\n')
    .split('\n');
}

/** The line as it is with default settings, without secrets and long values. */
function displayed(line: string, { dataDir, origins }: FirstStart): string {
  return line
    .replaceAll(dataDir, '~/kethub/.kethub')
    .replaceAll(origins.platform, 'http://localhost:8080')
    .replaceAll(origins.gateway, 'http://localhost:8081')
    .replaceAll(/(password) \S+/g, `$1 ${'•'.repeat(12)}`)
    .replaceAll(/ket_sk_\w+/g, `ket_sk_${'•'.repeat(12)}`)
    .replaceAll(/(ket_ak_\w{6})\w+/g, '$1…')
    .replaceAll(/([\da-f]{8})-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '$1…');
}

/** Removes the middle of repetitive results: all restarts but the first and last, and all but the first cut edges. */
function shortened(lines: readonly string[]): string[] {
  const kinds = [/Restart \d+ of/, /"source"/];
  return lines.flatMap((line, index) => {
    const kind = kinds.find((one) => one.test(line));
    if (!kind) return /… \d+ more lines/.test(line) ? [] : [line];
    const position = lines.slice(0, index).filter((before) => kind.test(before)).length;
    const last = lines.filter((one) => kind.test(one)).length - 1;
    if (position < 2 || (position === last && kind === kinds[0])) return [line];
    return position === 2 ? [`${/^ */.exec(line)?.[0] ?? ''}${DIM_ELLIPSIS}`] : [];
  });
}

/** A file of the result, fetched as the demo's application. */
async function resultFile({ lines, origins }: FirstStart, name: string): Promise<string> {
  const text = lines.join('\n');
  const href = new RegExp(String.raw`file ${name}: (\S+)`).exec(text)?.[1];
  const key = /access key (\S+), secret (\S+)/.exec(text);
  if (!href || !key) throw new Error('The first start printed neither the file nor the key of its application');
  const token = await fetch(`${origins.gateway}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key[1]}:${key[2]}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const file = await fetch(href, { headers: { authorization: `Bearer ${access_token}` } });
  if (!file.ok) throw new Error(`${href} answered ${file.status}: ${await file.text()}`);
  return file.text();
}
