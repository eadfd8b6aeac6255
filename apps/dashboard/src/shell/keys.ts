import { useHotkeys } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

/** Milliseconds within which the second key of `g s` has to follow. */
const CHORD_MS = 1_000;

export function useFrameKeys({
  go,
  help,
  search,
  actions,
}: {
  readonly go: (screen: string) => void;
  readonly help: () => void;
  readonly search: () => void;
  readonly actions: () => void;
}): void {
  const chord = useRef(0);
  const after = (action: () => void) =>
    unlessDialog(() => {
      if (performance.now() - chord.current < CHORD_MS) action();
    });
  const leave = { preventDefault: false };
  useHotkeys([
    ['g', () => (chord.current = performance.now()), leave],
    ['h', after(() => go('')), leave],
    ['s', after(() => go('/services')), leave],
    ['w', after(() => go('/workflows')), leave],
    ['e', after(() => go('/executions')), leave],
    ['a', after(() => go('/applications')), leave],
    ['d', after(() => go('/data-pools')), leave],
    ['mod+K', search],
    ['/', search],
    ['shift+?', unlessDialog(help)],
    ['?', unlessDialog(help)],
    ['.', unlessDialog(actions)],
    ['j', unlessDialog(() => moveRow(1))],
    ['k', unlessDialog(() => moveRow(-1))],
    ['r', unlessDialog(() => document.querySelector<HTMLElement>('main [data-key=r]')?.click())],
  ]);
  useEffect(() => {
    // It looks before anything that this press closes is gone.
    const look = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && leadsBack(event)) setTimeout(() => !event.defaultPrevented && goBack());
    };
    addEventListener('keydown', look, { capture: true });
    return () => removeEventListener('keydown', look, { capture: true });
  }, []);
}

/** Elements that Escape closes or leaves by itself, and those that would lose what is typed in it. */
const KEEPS_ESCAPE = '[role=dialog], [role=menu], [role=listbox], [data-draft], .djs-container, :fullscreen';
const TYPED = 'input, textarea, select, [contenteditable]';

function leadsBack({ target }: Event): boolean {
  if (target instanceof Element && target.closest(TYPED)) return false;
  return [...document.querySelectorAll(KEEPS_ESCAPE)].every((one) => !one.checkVisibility());
}

/** Goes to the page above, which the breadcrumb names last. */
function goBack(): void {
  [...document.querySelectorAll<HTMLElement>('main .page-head nav a')].at(-1)?.click();
}

/** Keys that lead to another page do nothing while a dialog is open: what is typed in it would be lost. */
function unlessDialog(action: () => void): () => void {
  return () => {
    if (!document.querySelector('[role=dialog]')) action();
  };
}

/** Focuses the link of the next or the previous row of the list on the page. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main .list a.name')];
  const present = rows.findIndex((row) => row === document.activeElement);
  const next = present < 0 ? (step > 0 ? 0 : rows.length - 1) : present + step;
  rows[next]?.focus();
}

/** The title of the browser's tab while a screen is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Kethub`;
  }, [title]);
}
