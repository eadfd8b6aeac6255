import { Button, Modal, Select } from '@mantine/core';
import { workflowForm } from '@kethub/client';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { applicationsQuery } from '../../data/application-queries.ts';
import { useActing } from '../../data/context.tsx';
import { Form } from '../../forms/form.tsx';
import { NameField } from '../../forms/name-fields.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { newFile } from '../../modeller/kit/new-file.ts';

/** Asks for the name of a new workflow, saves an almost empty draft, and opens it in the modeller. */
export function NewWorkflow({ onClose }: { readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [applicationId, setApplicationId] = useState<string | null>(null);
  const applications = useInfiniteQuery(applicationsQuery(acting));
  useEveryPage(applications);
  const rows = applications.data?.pages.flat() ?? [];
  const create = useMutation({
    mutationFn: () => {
      const source = new Blob([newFile(name.trim())], { type: 'application/xml' });
      const body = workflowForm({ name: name.trim(), source, ...(applicationId !== null && { applicationId }) });
      return acting.platform.createService({ body });
    },
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: [acting.base, 'services'] });
      await navigate({ to: `${acting.base}/services/${id}/model` });
    },
  });
  return (
    <Modal opened onClose={onClose} title="New workflow" lockScroll={false}>
      <Form className="stack" request={create} onSubmit={() => create.mutate()}>
        <NameField hasFocus value={name} error={create.error} onChange={setName} />
        <Select
          label="Application"
          description="Tasks call services as this application, which has to be subscribed to them."
          placeholder={rows.length === 0 ? 'None yet' : 'Choose one, now or later'}
          data={rows.map(({ id, name: label }) => ({ value: id, label }))}
          value={applicationId}
          clearable
          onChange={setApplicationId}
        />
        <FormProblem error={create.error} fields={['/name']} />
        <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
          Draw it
        </Button>
      </Form>
    </Modal>
  );
}
