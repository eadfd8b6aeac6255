/** Ways to put into the diagram what fields have kept back so far. */
const waiting = new Set<() => void>();

/** Has `put` called before a command takes the diagram. Returns the function that takes this back. */
export function putBeforeCommands(put: () => void): () => void {
  waiting.add(put);
  return () => void waiting.delete(put);
}

/** Puts into the diagram whatever is typed in a field: a command takes it, though its author has not rested yet. */
export function putTyped(): void {
  for (const put of waiting) put();
}
