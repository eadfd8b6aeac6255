import { useEffect } from 'react';
import type { Kit } from './kit/types.ts';

/** Inputs without a text of their own, in which a browser takes nothing back. */
const WITHOUT_TEXT = new Set(['checkbox', 'radio', 'button', 'file', 'range']);

/**
 * Undo and redo by keys wherever the focus is: the keys of bpmn-js work on its canvas only. A field in which a text is
 * typed, and an open dialog, keep these keys. A modeller that is hidden, because the window is narrow, only shows its file.
 */
export function useModellerKeys(kit: Kit): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, shiftKey, altKey, target, defaultPrevented } = event;
      if (defaultPrevented || altKey || !(ctrlKey || metaKey) || isElsewhere(target)) return;
      if (!kit.service('canvas').getContainer().checkVisibility()) return;
      const name = key.toLowerCase();
      const stack = kit.service('commandStack');
      if (name === 'z' && !shiftKey) stack.undo();
      else if (name === 'y' || name === 'z') stack.redo();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [kit]);
}

function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector('[role=dialog]') !== null) return true;
  if (!(target instanceof HTMLElement)) return target !== document;
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type) && !target.readOnly;
  return target instanceof HTMLTextAreaElement || target.isContentEditable;
}
