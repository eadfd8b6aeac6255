import type { TransferRequest } from '@kethub/contract';
import { Button, Modal, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing } from '../data/context.tsx';
import { meQuery, organizationsQuery } from '../data/queries.ts';
import { Problem } from '../shell/problem.tsx';
import { Form } from './form.tsx';

/** Gives something to an organization of the person, or to the person themselves. */
export function Transfer({
  what,
  path,
  give,
  onClose,
}: {
  /** Name of what is given away. */
  readonly what: string;
  /** Path of it below a context, such as `/services/0189…`. */
  readonly path: string;
  readonly give: (to: TransferRequest) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const acting = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery(acting.platform));
  const { data: organizations = [] } = useQuery(organizationsQuery(acting.platform));
  const [chosen, setChosen] = useState<string | null>(null);
  const choices = [
    ...(acting.organizationId !== null && me ? [{ value: me.id, label: `${me.firstname} ${me.lastname} (you)` }] : []),
    ...organizations
      .filter(({ id, role }) => id !== acting.organizationId && role !== 'VIEWER')
      .map(({ id, name }) => ({ value: id, label: name })),
  ];
  const transfer = useMutation({
    mutationFn: (id: string) => give({ type: id === me?.id ? 'USER' : 'ORGANIZATION', id }),
    async onSuccess(_, id) {
      await navigate({ to: `${id === me?.id ? '/me' : `/org/${id}`}${path}` });
      queries.removeQueries({ queryKey: [acting.base] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Give ${what} away`} lockScroll={false}>
      {choices.length === 0 ? (
        <p style={{ margin: 0 }}>
          It can be given to an organization in which you are maintainer or owner. You are in no other one.
        </p>
      ) : (
        <Form
          className="stack"
          request={transfer}
          onSubmit={() => {
            if (chosen !== null) transfer.mutate(chosen);
          }}
        >
          <Select
            label="New owner"
            required
            allowDeselect={false}
            openOnFocus={false}
            data={choices}
            value={chosen}
            onChange={setChosen}
          />
          <p className="quiet small" style={{ margin: 0 }}>
            Whoever has rights there has them on this from then on. Its address may change.
          </p>
          {transfer.error && <Problem error={transfer.error} />}
          <Button type="submit" loading={transfer.isPending} disabled={chosen === null}>
            Give it away
          </Button>
        </Form>
      )}
    </Modal>
  );
}
