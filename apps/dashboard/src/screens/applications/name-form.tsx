import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';

/** Characters of a name that the platform takes. */
const NAME_LENGTH = 100;

/** Asks for the name of an application. */
export function NameForm({
  title,
  action,
  request,
  onClose,
}: {
  readonly title: string;
  readonly action: string;
  readonly request: { readonly error: unknown; readonly isPending: boolean; mutate(name: string): void };
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  return (
    <Modal opened onClose={onClose} title={title} lockScroll={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate(name.trim());
        }}
      >
        <TextInput
          label="Name"
          description="Shows later which program uses its keys."
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
      </form>
    </Modal>
  );
}
