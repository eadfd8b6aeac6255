import { queryOptions } from '@tanstack/react-query';
import { parseExact, writeExact } from './exact-json.ts';
import { formQuery } from './form-query.ts';
import type { Here } from './queries.ts';
import type { Tagged } from './tagged.ts';

/** Bytes of a file that are shown; a larger one is downloaded with the rest. */
export const SHOWN_BYTES = 1024 * 1024;

export const sourceFilesQuery = ({ base, platform }: Here, serviceId: string, version: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'source', version],
    queryFn: ({ signal }) => platform.listSourceFiles({ serviceId, version, signal }),
  });

/** The text of one file of the source; null when it is no text in UTF-8. */
export const sourceTextQuery = ({ base, platform }: Here, serviceId: string, version: string, path: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'source', version, path],
    async queryFn({ signal }) {
      const response = await platform.readSourceFile({ serviceId, version, path, signal });
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
      } catch (error) {
        if (error instanceof TypeError) return null;
        throw error;
      }
    },
  });

/** The OpenAPI document of a version as a text with one member a line, and its entity tag. */
export async function readSpecification(
  { platform }: Pick<Here, 'platform'>,
  serviceId: string,
  version: string,
  signal?: AbortSignal,
): Promise<Tagged<string>> {
  const response = await platform.getApiSpecification.response({ serviceId, version, signal });
  return { value: inLines(await response.text()), etag: response.headers.get('etag') };
}

/** JSON with one member a line; any other text as it is. Deep documents grow with their indentation, and stay as well. */
export function inLines(text: string): string {
  try {
    const lines = writeExact(parseExact(text));
    return lines.length > SHOWN_BYTES ? text : lines;
  } catch {
    return text;
  }
}

/** The document that a page shows. An upload takes the place of this one, and of none that came later. */
export const specificationQuery = (here: Here, serviceId: string, version: string) =>
  formQuery([here.base, 'service', serviceId, 'specification', version], (signal) =>
    readSpecification(here, serviceId, version, signal),
  );

/**
 * The OpenAPI document of a version, with exact numbers; null where the person may not read it. A version that is not
 * shared is an own one, or that of the marketplace.
 */
export const documentQuery = ({ base, platform }: Here, serviceId: string, version: string, isShared = false) =>
  queryOptions({
    queryKey: [base, isShared ? 'shared-service' : 'service', serviceId, 'document', version],
    staleTime: 60_000,
    retry: false,
    async queryFn({ signal }): Promise<unknown> {
      const own = () => platform.getApiSpecification.response({ serviceId, version, signal });
      const shared = () => platform.getSharedApiSpecification.response({ serviceId, version, signal });
      const offered = () => platform.getMarketplaceApiSpecification.response({ serviceId, signal });
      try {
        return parseExact(await (await (isShared ? shared() : own().catch(offered))).text());
      } catch {
        return null;
      }
    },
  });
