/** Actions of one page that are offered: more are no help to somebody who looks for one. */
const MOST = 50;
/** Buttons of rows, fields and charts: each row has the same ones, and a name alone does not tell them apart. */
const REPEATED = '.list, .long-rows, [role=tree], [role=tabpanel], [data-draft] fieldset fieldset, .drop';

/** Something that can be done on the page: a button, a tab or a link of its head. */
export interface PageAction {
  readonly label: string;
  readonly element: HTMLElement;
}

/** Collects what can be done on the page that is shown, each name once. */
export function actionsOfPage(): readonly PageAction[] {
  const found = new Map<string, PageAction>();
  for (const element of document.querySelectorAll<HTMLElement>('main button, main .page-head .row a, main .tabs a')) {
    const label = (element.ariaLabel ?? element.textContent ?? '').trim();
    if (label === '' || found.has(label) || element.matches(':disabled') || element.closest(REPEATED)) continue;
    if (element.offsetParent !== null) found.set(label, { label, element });
    if (found.size === MOST) break;
  }
  return [...found.values()];
}
