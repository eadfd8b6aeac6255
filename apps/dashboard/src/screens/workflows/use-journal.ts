import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useActing } from '../../data/context.tsx';
import { journalQuery, variablesQuery } from '../../data/workflow-queries.ts';

/** The journal of an instance. It is read on, and present variables again, whenever the instance has another `tag`. */
export function useJournal(instanceId: string, tag: string | null) {
  const acting = useActing();
  const queries = useQueryClient();
  useEffect(() => {
    const { queryKey: variables } = variablesQuery(acting, { instanceId, step: null, elementId: null });
    void queries.invalidateQueries({ queryKey: journalQuery(acting, instanceId).queryKey });
    // Without the element: the variables of each, as they are now.
    void queries.invalidateQueries({ queryKey: variables.slice(0, -1) });
  }, [acting, queries, instanceId, tag]);
  return useQuery(journalQuery(acting, instanceId));
}
