import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { Confirm } from '../../shell/confirm.tsx';

/** Deletes an execution that has ended, with everything that it left. */
export function DeleteExecution({ id }: { readonly id: string }) {
  const { base, platform } = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => platform.deleteOwnedExecution({ executionId: id }),
    async onSuccess() {
      await navigate({ to: `${base}/executions` });
      queries.removeQueries({ queryKey: [base, 'execution', id] });
      await queries.invalidateQueries({ queryKey: [base, 'executions'] });
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)} style={{ color: 'var(--failed)' }}>
        Delete
      </Button>
      {isAsking && (
        <Confirm title="Delete this execution?" action="Delete" request={remove} onClose={() => setAsking(false)}>
          Its input, result, files and log go with it, and nothing brings them back. What it has cost stays.
        </Confirm>
      )}
    </>
  );
}
