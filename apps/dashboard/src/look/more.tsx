import { Button } from '@mantine/core';
import { useEffect } from 'react';

interface Pages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isError: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Loads the next page of a list. */
export function More({ of }: { readonly of: Pages }) {
  if (!of.hasNextPage) return null;
  return (
    <Button variant="default" loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      Show more
    </Button>
  );
}

/** Loads every page, one after the other, for a choice among all rows. */
export function useEveryPage(of: Pages): void {
  const { hasNextPage, isFetchingNextPage, isError } = of;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void of.fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, of]);
}
