import { Button, Modal, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { executionsQuery, isEnded } from '../../data/queries.ts';
import { shortId } from '../../look/parts.tsx';

/** Chooses another execution of the same service, and opens both beside each other. */
export function CompareWith({ id, serviceId }: { readonly id: string; readonly serviceId: string | undefined }) {
  const acting = useActing();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const executions = useInfiniteQuery({
    ...executionsQuery(acting, serviceId === undefined ? {} : { serviceId }),
    enabled: isOpen,
  });
  const others = (executions.data?.pages.flat() ?? []).filter((one) => one.id !== id && isEnded(one));
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Compare
      </Button>
      {isOpen && (
        <Modal opened onClose={() => setOpen(false)} title="Compare with" lockScroll={false}>
          {executions.isSuccess && others.length === 0 ? (
            <p style={{ margin: 0 }}>There is no other execution of this service that has ended.</p>
          ) : (
            <Select
              label="Execution"
              description="The last ones of the same service."
              data-autofocus
              openOnFocus={false}
              searchable
              data={others.map((one) => ({
                value: one.id,
                label: `${shortId(one.id)} · ${one.status.toLowerCase()} · ${one.createdAt} UTC`,
              }))}
              onChange={(second) =>
                second !== null &&
                void navigate({ to: `${acting.base}/executions/compare`, search: { first: id, second } })
              }
            />
          )}
        </Modal>
      )}
    </>
  );
}
