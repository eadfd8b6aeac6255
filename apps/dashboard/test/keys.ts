import type { Page } from 'playwright-core';

/** Actions of a person at a keyboard. */
export function keysOf(page: Page) {
  const press = async (role: 'button' | 'link', name: string | RegExp, within = 'body'): Promise<void> => {
    await page.locator(within).getByRole(role, { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  return {
    press,
    async choose(button: string, item: string): Promise<void> {
      await press('button', button);
      await page.getByRole('menuitem', { name: item, exact: true }).focus();
      await page.keyboard.press('Enter');
    },
    /** Replaces the text of a field; `group` is the fieldset in which it stands, null the section General. */
    async type(name: string | RegExp, text: string, group?: string | null): Promise<void> {
      const within =
        group === undefined
          ? page.locator('body')
          : group === null
            ? page.getByRole('region', { name: 'General' })
            : page.getByRole('group', { name: group });
      await within.getByRole('textbox', { name, exact: true }).focus();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
    },
    async go(name: RegExp): Promise<void> {
      await page.getByRole('treeitem', { name }).focus();
      await page.getByRole('treeitem', { name, selected: true }).waitFor();
    },
  };
}
