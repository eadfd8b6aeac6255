/**
 * Ref of the button that closes a dialog. It notes where the focus was when the dialog opened, and gives it back when
 * the dialog is gone. If that element is gone as well, the content of the page gets the focus. Mantine does so only for
 * dialogs that stay in the page while they are closed.
 */
export function returnFocus(): () => void {
  const before = document.activeElement;
  return () => {
    setTimeout(() => {
      for (const target of [before, document.getElementById('main')])
        if (isFocusLost() && target instanceof HTMLElement && target.isConnected) target.focus({ preventScroll: true });
    });
  };
}

/** Returns whether no element has the focus, such as after the one that had it is gone. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
