import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { useImplementationAddress, useWhere } from './use-implementation.ts';

/** Makes a service of what the page shows, with a draft version that is built at once. */
export function CreateService({ name: suggested, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { acting, implementationId } = useImplementationAddress();
  const { ref } = useWhere();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(suggested);
  // A click that is repeated after a lost answer makes no second service.
  const key = useRef(crypto.randomUUID());
  const create = useMutation({
    mutationFn: () =>
      acting.platform.createServiceOfImplementation({
        implementationId,
        json: { name: name.trim(), ...(ref !== null && { ref }) },
        headers: { 'idempotency-key': key.current },
      }),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: [acting.base, 'services'] });
      await navigate({ to: `${acting.base}/services/${id}/versions` });
    },
    onError() {
      key.current = crypto.randomUUID();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Create a service" lockScroll={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <p style={{ margin: 0 }}>
          The files of {ref === null ? 'the default branch' : <code>{ref}</code>} are built. Nothing is published yet.
        </p>
        <TextInput
          label="Name"
          description="Stands in the address of the service."
          required
          maxLength={100}
          value={name}
          error={complaintAt(create.error, '/name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FormProblem error={create.error} fields={['/name']} />
        <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
          Create and build
        </Button>
      </form>
    </Modal>
  );
}
