import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../../forms/form.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { emptyTarget, TargetFields, targetOf, targetPointers } from './target-fields.tsx';
import { useServiceAddress } from './use-service.ts';

/** Adds the next version of a service that runs elsewhere, as a draft. */
export function NewTargetVersion({ onClose }: { readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(emptyTarget);
  const add = useMutation({
    mutationFn: () => acting.platform.addServiceVersion({ serviceId, json: { target: targetOf(draft) } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="New version" lockScroll={false}>
      <Form className="stack" request={add} onSubmit={() => add.mutate()}>
        <TargetFields draft={draft} onChange={setDraft} error={add.error} at="/target" />
        <FormProblem error={add.error} fields={targetPointers('/target')} />
        <Button type="submit" loading={add.isPending}>
          Add the draft
        </Button>
      </Form>
    </Modal>
  );
}
