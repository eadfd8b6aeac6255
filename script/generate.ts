import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pages } from './generate/pages.ts';
import { root } from './run.ts';

// `npm run generate`: renews the parts of the documentation that are made from the code.
// `npm run generate -- pictures`: takes the pictures of docs/images from a first start as well; needs the sandbox.
for (const { file, renew } of pages) {
  const place = path.join(root, file);
  const page = readFileSync(place, 'utf8');
  const renewed = renew(page);
  if (renewed !== page) writeFileSync(place, renewed);
  process.stdout.write(`${renewed === page ? 'up to date' : 'renewed   '}  ${file}\n`);
}

if (process.argv.includes('pictures')) {
  const { takePictures } = await import('./generate/pictures.ts');
  for (const file of await takePictures()) process.stdout.write(`taken       ${file}\n`);
}
