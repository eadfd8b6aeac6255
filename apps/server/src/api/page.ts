import { PAGE_ICON, pageHeaders } from '../foundation/http/index.ts';

const STYLE = `
  :root { color-scheme: light dark; --ink: light-dark(#1d2433, #e6e9f2); --paper: light-dark(#fbfbfd, #12151d); --accent: light-dark(#4338ca, #a5b4fc); }
  * { box-sizing: border-box; }
  body { overflow-wrap: anywhere; margin: 0 auto; padding: 3rem 1.25rem; max-width: 44rem; font: 1.0625rem/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
  a { color: var(--accent); }
  code, pre { font: .9375em/1.5 ui-monospace, monospace; background: color-mix(in srgb, var(--ink) 8%, transparent); border-radius: .3em; padding: .1em .35em; }
  pre { padding: .8em 1em; overflow-x: auto; }
  table { border-collapse: collapse; } td { padding: .2rem 1rem .2rem 0; vertical-align: top; }
  td:first-child { overflow-wrap: normal; }
  nav { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
  .quiet { opacity: .7; }
`;

/** The headers of every page of this form. */
export const PAGE_HEADERS = pageHeaders(STYLE);

/** A plain page. `title` and `body` are HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Kethub</title>
${PAGE_ICON}
<style>${STYLE}</style>
<main>
${body}
</main>
</html>
`;
}
