import { Button, Modal, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';

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
        <TextInput
          label="Name"
          required
          data-autofocus
          maxLength={100}
          value={name}
          error={complaintAt(request.error, '/name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          label="Description"
          autosize
          minRows={3}
          maxRows={16}
          maxLength={5_000}
          value={description}
          error={complaintAt(request.error, '/description')}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <FormProblem error={request.error} fields={['/name', '/description']} />
        <Button type="submit" loading={request.isPending} disabled={name.trim() === ''}>
          {action}
        </Button>
      </Form>
    </Modal>
  );
}
