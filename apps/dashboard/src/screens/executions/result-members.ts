/** The result without the two members of HAL. */
export function plain(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { _links: _, _embedded: __, ...members } = result as { readonly [name: string]: unknown };
  return members;
}
