/** Every key of the frame. The help shows this table, and a test presses each of them. */
export const KEYS = [
  { keys: 'Ctrl K  or  /', does: 'Search, or go to a page' },
  { keys: 'g h', does: 'Go home' },
  { keys: 'g s', does: 'Go to services' },
  { keys: 'g w', does: 'Go to workflows' },
  { keys: 'g e', does: 'Go to executions' },
  { keys: 'g a', does: 'Go to applications' },
  { keys: 'g d', does: 'Go to data pools' },
  { keys: 'j  k', does: 'Next and previous row of a list' },
  { keys: '.', does: 'Choose what can be done on this page' },
  { keys: 'Ctrl Enter', does: 'Run, on the run page; deploy, in the modeller' },
  { keys: 'r', does: 'Run again, on the page of an execution' },
  { keys: 'Esc', does: 'Close a dialog; else go back to the list, where nothing is being typed' },
  { keys: '?', does: 'Show these keys' },
] as const;
