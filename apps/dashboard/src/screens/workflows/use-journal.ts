import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useActing } from '../../data/context.tsx';
import { journalQuery } from '../../data/workflow-queries.ts';

/** The journal of an instance, read once more when the instance has ended: its last entries are written with its end. */
export function useJournal(instanceId: string, isRunning: boolean) {
  const journal = useInfiniteQuery(journalQuery(useActing(), instanceId, isRunning));
  const { refetch } = journal;
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void refetch();
    wasRunning.current = isRunning;
  }, [isRunning, refetch]);
  return journal;
}
