/** Milliseconds after which the memory of a download is freed: the browser has taken it by then. */
const TAKEN_MS = 60_000;

/** Hands a file that is in memory to the browser's downloads. */
export function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), TAKEN_MS);
}

/** Has the browser download from the address of a ticket: it streams to the disk, however long it is. */
export function saveFrom({ href }: { readonly href: string }, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}
