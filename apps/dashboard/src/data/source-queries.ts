import { queryOptions } from '@tanstack/react-query';
import type { Here } from './queries.ts';

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
