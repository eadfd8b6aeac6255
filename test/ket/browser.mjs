#!/usr/bin/env node
// A browser for tests. It opens the given address, signs in with KET_TEST_USERNAME and KET_TEST_PASSWORD, and follows
// every redirect, up to the page that ket itself serves.
const { KET_TEST_USERNAME: username = '', KET_TEST_PASSWORD: password = '' } = process.env;
const cookies = new Map();

async function visit(url, init = {}) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  const location = response.headers.get('location');
  return location === null ? { url, page: await response.text() } : visit(new URL(location, url).href);
}

const { url, page } = await visit(process.argv[2]);
const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
await visit(new URL(action, url).href, {
  method: 'POST',
  body: new URLSearchParams({ username, password, decision: 'sign-in' }),
});
