/** HAL links of an execution. `address` is the URL of the executions of its scope. */
export function executionLinks(address: string, id: string) {
  const status = { href: `${address}/${id}` };
  return { self: status, status, result: { href: `${status.href}/result` } };
}

/** HAL links of a result: itself, the status, and one per file. A file cannot replace the first two. */
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
