/** A resource as it was read, with its entity tag. A change sends the tag, so that it overwrites nothing unseen. */
export interface Tagged<T> {
  readonly value: T;
  readonly etag: string | null;
}

export async function tagged<T>(asked: Promise<Response>): Promise<Tagged<T>> {
  const response = await asked;
  return { value: (await response.json()) as T, etag: response.headers.get('etag') };
}

/** Header of a change that applies only to what was read. */
export function ifMatch(etag: string | null | undefined): Readonly<Record<string, string>> {
  return etag === null || etag === undefined ? {} : { 'if-match': etag };
}
