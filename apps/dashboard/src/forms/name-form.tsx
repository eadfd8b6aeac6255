import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { Form } from './form.tsx';
import { NameField } from './name-fields.tsx';
import { FormProblem } from './problem-at.tsx';

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
        <NameField hint={hint} hasFocus value={name} error={request.error} onChange={setName} />
        <FormProblem error={request.error} fields={['/name']} />
        <Button type="submit" loading={request.isPending} disabled={name.trim() === ''}>
          {action}
        </Button>
      </Form>
    </Modal>
  );
}
