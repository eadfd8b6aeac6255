/** The HAL links of an execution below the address of the door. */
export function executionLinks(address: string, id: string) {
  const status = { href: `${address}/${id}` };
  return { self: status, status, result: { href: `${status.href}/result` } };
}

/** The links of a result: itself, the status, and one per file; a file cannot take the place of the first two. */
export function resultLinks(
  address: string,
  id: string,
  files: readonly { name: string }[],
): Record<string, { href: string }> {
  const { status, result } = executionLinks(address, id);
  const perFile = files.map(({ name }): [string, { href: string }] => [
    name,
    { href: `${result.href}/${encodeURIComponent(name)}` },
  ]);
  return { ...Object.fromEntries(perFile), self: result, status };
}
