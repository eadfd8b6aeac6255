import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { executionsQuery, isEnded } from '../../data/queries.ts';
import { More } from '../../look/more.tsx';
import { PageHead } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { ExecutionList } from './execution-list.tsx';
import { InstanceLink } from './instance-link.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filterOf, searchOf } from './filter.ts';

/** All executions of the person or the organization. The filter stands in the address. */
export function Executions() {
  useTitle('Executions');
  const acting = useActing();
  const navigate = useNavigate();
  const mayCancel = useMay('execution:cancel');
  const filter = filterOf(useSearch({ strict: false }));
  const executions = useInfiniteQuery(executionsQuery(acting, filter));
  const [isCancelling, setCancelling] = useState(false);
  const rows = executions.data?.pages.flat() ?? [];
  const isFiltered = Object.keys(filter).length > 0;
  const open = rows.filter((one) => !isEnded(one));
  return (
    <>
      <PageHead
        title="Executions"
        note={
          filter.workflowId !== undefined && (
            <InstanceLink workflowId={filter.workflowId}>The instance whose tasks have started them</InstanceLink>
          )
        }
        actions={
          mayCancel &&
          open.length > 1 && (
            <Button variant="default" onClick={() => setCancelling(true)}>
              Cancel {open.length} that run or wait
            </Button>
          )
        }
      />
      <div className="stack">
        {executions.error && <Problem error={executions.error} onRetry={() => void executions.refetch()} />}
        <FilterBar
          filter={filter}
          onChange={(wanted) => void navigate({ to: `${acting.base}/executions`, search: searchOf(wanted) })}
        />
        {isFiltered && executions.isSuccess && rows.length === 0 ? (
          <div className="panel quiet">No execution fits this filter.</div>
        ) : (
          <ExecutionList rows={rows} isLoading={executions.isPending} />
        )}
        <More of={executions} />
      </div>
      {isCancelling && <CancelAll ids={open.map(({ id }) => id)} onClose={() => setCancelling(false)} />}
    </>
  );
}

/** Requests that are under way at the same time. */
const AT_ONCE = 3;

function CancelAll({ ids, onClose }: { readonly ids: readonly string[]; readonly onClose: () => void }) {
  const { base, platform } = useActing();
  const queries = useQueryClient();
  const cancel = useMutation({
    async mutationFn() {
      const left = [...ids];
      const work = async (): Promise<void> => {
        for (let executionId = left.pop(); executionId !== undefined; executionId = left.pop())
          await platform.cancelOwnedExecution({ executionId });
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: [base, 'executions'] }),
  });
  return (
    <Confirm title={`Cancel ${ids.length} executions?`} action="Cancel them" request={cancel} onClose={onClose}>
      Those of this list that run or wait are ended. What they have used is charged; they leave no result.
    </Confirm>
  );
}
