import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';

// node apps/dashboard/build.ts <folder>: writes the dashboard into the folder, each text also compressed with brotli.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node apps/dashboard/build.ts <folder>');
/** Quality 5 takes a second less, and its files are a thirteenth larger. */
const BROTLI_QUALITY = 10;

await build({
  root: import.meta.dirname,
  configFile: false,
  // Not below node_modules: a build must not be in the way of an installation.
  cacheDir: path.resolve(import.meta.dirname, '../../.runtime/vite-dashboard'),
  logLevel: 'error',
  worker: { format: 'es' },
  build: {
    outDir: path.resolve(folder),
    emptyOutDir: true,
    target: 'es2023',
    // Inline, the polyfill would need an exception in the content security policy.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    // One file holds everything that the first screen needs: a dozen small ones cost as many requests.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
});

const assets = path.join(folder, 'assets');
for (const name of readdirSync(assets)) {
  if (!/\.(?:js|css|svg)$/.test(name)) continue;
  const content = readFileSync(path.join(assets, name));
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  writeFileSync(path.join(assets, `${name}.br`), brotliCompressSync(content, { params }));
}
