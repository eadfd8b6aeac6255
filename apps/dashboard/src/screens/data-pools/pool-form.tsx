import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../forms/form.tsx';
import { DescriptionField, NameField } from '../../forms/name-fields.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';

/** Asks for name and description of a data pool. */
export function PoolForm({
  title,
  action,
  request,
  onClose,
}: {
  readonly title: string;
  readonly action: string;
  readonly request: {
    readonly error: unknown;
    readonly isPending: boolean;
    mutate(texts: { readonly name: string; readonly description: string }): void;
  };
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  return (
    <Modal opened onClose={onClose} title={title} lockScroll={false}>
      <Form className="stack" request={request} onSubmit={() => request.mutate({ name: name.trim(), description })}>
        <NameField hasFocus value={name} error={request.error} onChange={setName} />
        <DescriptionField
          minRows={3}
          maxRows={16}
          value={description}
          error={request.error}
          onChange={setDescription}
        />
        <FormProblem error={request.error} fields={['/name', '/description']} />
        <Button type="submit" loading={request.isPending} disabled={name.trim() === ''}>
          {action}
        </Button>
      </Form>
    </Modal>
  );
}
