/**
 * Gives the focus back to the element that had it before a dialog opened. Mantine does so only for dialogs that stay in
 * the page when they are closed; those of the dashboard are removed.
 */
export function giveFocusBack(): void {
  let before: HTMLElement | null = null;
  let isInDialog = false;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    isInDialog = target.closest('[role=dialog]') !== null;
    if (!isInDialog) before = target;
  });
  const look = (): void => {
    // The browser gives the focus to the body when the element that has it is removed.
    if (!isInDialog || document.activeElement !== document.body || document.querySelector('[role=dialog]')) return;
    isInDialog = false;
    if (before?.isConnected) before.focus({ preventScroll: true });
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}
