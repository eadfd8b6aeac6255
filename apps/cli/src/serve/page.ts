import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LocalAnswer } from './answers.ts';

const file = path.join(import.meta.dirname, '../../serve-page/index.html');
/** The page has its script and style in itself, and calls this server only. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src 'self' blob: data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/** The page on which a service can be tried. */
export function pageAnswer(): LocalAnswer {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
    },
    body: readFileSync(file, 'utf8'),
  };
}
