import { Button, Modal, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Form } from '../forms/form.tsx';
import { Problem } from './problem.tsx';

/** Asks before something that cannot be undone. With `name`, the person has to type it. */
export function Confirm({
  title,
  action,
  name,
  children,
  request,
  onClose,
}: {
  readonly title: string;
  /** Text of the button. */
  readonly action: string;
  readonly name?: string;
  readonly children: ReactNode;
  readonly request: { readonly error: unknown; readonly isPending: boolean; mutate(): void };
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  return (
    <Modal opened onClose={onClose} title={title} lockScroll={false}>
      <Form className="stack" request={request} onSubmit={() => request.mutate()}>
        <p style={{ margin: 0 }}>{children}</p>
        {name !== undefined && (
          <TextInput
            label={`Type its name: ${name}`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {request.error !== null && <Problem error={request.error} />}
        <Button type="submit" color="red" disabled={name !== undefined && typed !== name} loading={request.isPending}>
          {action}
        </Button>
      </Form>
    </Modal>
  );
}
