import type { Page } from 'playwright-core';

const MARK = `(() => {
  document.activeElement?.blur();
  const all = 'a[href], button:not([disabled]), input:not([disabled]), textarea, select, [tabindex="0"]';
  const wanted = [...document.querySelectorAll('main ' + all.split(', ').join(', main '))].filter(
    (one) => one.tabIndex >= 0 && one.checkVisibility() && !(one.type === 'radio' && !one.checked),
  );
  wanted.forEach((one, index) => (one.dataset.reach = String(index)));
  return wanted.map((one) => one.ariaLabel || one.textContent.trim().slice(0, 40) || one.name || one.tagName);
})()`;
/** Elements before the content of the page, and some more. */
const BEFORE = 60;

/** Names of links, buttons and fields of the page to which the key Tab does not lead. */
export async function unreachedByTab(page: Page): Promise<string[]> {
  const names = await page.evaluate<string[]>(MARK);
  const missing = new Set(names.keys());
  for (let presses = 0; presses < names.length + BEFORE && missing.size > 0; presses += 1) {
    await page.keyboard.press('Tab');
    missing.delete(Number(await page.evaluate('document.activeElement?.dataset.reach ?? -1')));
  }
  return [...missing].map((index) => names[index] ?? '');
}
