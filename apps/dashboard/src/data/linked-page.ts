/** One page of a list whose `Link` header leads to the next one. */
export interface LinkedPage<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

export async function linkedPage<Row>(asked: Promise<Response>): Promise<LinkedPage<Row>> {
  const response = await asked;
  const rows = (await response.json()) as readonly Row[];
  return { rows, next: cursorIn(response.headers.get('link')) };
}

/** Cursor of the address of `rel="next"` in a `Link` header. */
export function cursorIn(link: string | null): string | null {
  const [, address] = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '') ?? [];
  return address === undefined
    ? null
    : (URL.parse(address, 'http://kethub.invalid')?.searchParams.get('cursor') ?? null);
}
