import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientFilesOfCode } from './generate/client.ts';
import { pages } from './generate/pages.ts';
import { root } from './run.ts';

// `npm run generate`: renews the generated parts of the documentation, and the generated client. `npm run generate --
// pictures`: also takes the pictures of docs/images from a first start; this needs the sandbox. `-- font`: also makes the
// font of the dashboard.
for (const { file, renew } of pages) {
  const location = path.join(root, file);
  const page = readFileSync(location, 'utf8');
  const renewed = renew(page);
  if (renewed !== page) writeFileSync(location, renewed);
  process.stdout.write(`${renewed === page ? 'up to date' : 'renewed   '}  ${file}\n`);
}

for (const { file, text } of await clientFilesOfCode()) {
  const renewed = !existsSync(file) || readFileSync(file, 'utf8') !== text;
  if (renewed) writeFileSync(file, text);
  process.stdout.write(`${renewed ? 'renewed   ' : 'up to date'}  ${path.relative(root, file)}\n`);
}

if (process.argv.includes('pictures')) {
  const { takePictures } = await import('./generate/pictures.ts');
  for (const file of await takePictures()) process.stdout.write(`taken       ${file}\n`);
}

if (process.argv.includes('font')) {
  const { makeFont } = await import('./generate/font.ts');
  process.stdout.write(`made        ${makeFont()}\n`);
}
