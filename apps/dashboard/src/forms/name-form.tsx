import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from './form.tsx';
import { complaintAt, FormProblem } from './problem-at.tsx';

/** Characters of a name that the platform takes. */
const NAME_LENGTH = 100;

/** Asks for the name of something new. `hint` says where the name is shown. */
export function NameForm({
  title,
  action,
  hint,
  request,
  onClose,
}: {
  readonly title: string;
  readonly action: string;
  readonly hint: string;
  readonly request: { readonly error: unknown; readonly isPending: boolean; mutate(name: string): void };
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  return (
    <Modal opened onClose={onClose} title={title} lockScroll={false}>
      <Form className="stack" request={request} onSubmit={() => request.mutate(name.trim())}>
        <TextInput
          label="Name"
          description={hint}
          required
          data-autofocus
          maxLength={NAME_LENGTH}
          value={name}
          error={complaintAt(request.error, '/name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FormProblem error={request.error} fields={['/name']} />
        <Button type="submit" loading={request.isPending} disabled={name.trim() === ''}>
          {action}
        </Button>
      </Form>
    </Modal>
  );
}
