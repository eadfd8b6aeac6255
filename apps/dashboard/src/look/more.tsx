import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { RENEWED_PAGES } from '../data/live.ts';

interface Pages {
  readonly data?: { readonly pages: readonly unknown[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isError: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Loads the next page of a list. An event that renews the list meanwhile does not take it back. */
export function More({ of }: { readonly of: Pages }) {
  const { data, hasNextPage, isFetching, isError } = of;
  const loaded = data?.pages.length ?? 0;
  /** Number of pages that were asked for; 0 once they are there. */
  const [wanted, setWanted] = useState(0);
  useEffect(() => {
    if (wanted > 0 && loaded >= wanted) setWanted(0);
    else if (loaded < wanted && hasNextPage && !isFetching && !isError) void of.fetchNextPage();
  }, [wanted, loaded, hasNextPage, isFetching, isError, of]);
  const ask = (): void => {
    setWanted(loaded + 1);
    void of.fetchNextPage();
  };
  return (
    <>
      {loaded > RENEWED_PAGES && (
        <p className="quiet small" style={{ margin: 0 }}>
          So long a list is not renewed by itself. Reload the page to see what has changed.
        </p>
      )}
      {hasNextPage && (
        <Button variant="default" loading={loaded < wanted && !isError} onClick={ask}>
          Show more
        </Button>
      )}
    </>
  );
}

/** Loads every page, one after the other, for a choice among all rows. */
export function useEveryPage(of: Pages): void {
  const { hasNextPage, isFetchingNextPage, isError } = of;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void of.fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, of]);
}
