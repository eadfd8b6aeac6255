import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { accessTokensQuery } from '../../data/queries.ts';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { Code } from '../../look/parts.tsx';

const POINTERS = ['/name', '/expiresAt'];

/** Makes a token and shows it, once: closing the window forgets it. */
export function NewToken({ onClose }: { readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [expiresAt, setExpiresAt] = useState('');
  const create = useMutation({
    gcTime: 0,
    mutationFn: () =>
      acting.platform.createAccessToken({
        json: { name: name.trim(), expiresAt: expiresAt === '' ? null : expiresAt },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: accessTokensQuery(acting).queryKey }),
  });
  const value = create.data?.value ?? null;
  if (value !== null)
    return (
      <Modal
        opened
        onClose={onClose}
        title={`Token ${name.trim()}`}
        size="lg"
        lockScroll={false}
        closeOnClickOutside={false}
      >
        <div className="stack">
          <p style={{ margin: 0 }}>
            Copy it now: <strong>it is not shown again.</strong>
          </p>
          <Code text={value} label="Token" />
          <p className="quiet small" style={{ margin: 0 }}>
            To try it:
          </p>
          <Code text={`curl -s '${location.origin}/api/me' -H "X-Auth-Token: $ACCESS_TOKEN"`} label="Command" />
          <Button onClick={onClose}>I have copied it</Button>
        </div>
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} title="New token" lockScroll={false}>
      <Form className="stack" request={create} onSubmit={() => create.mutate()}>
        <TextInput
          label="Name"
          description="The place of its use, for example a machine."
          required
          data-autofocus
          maxLength={200}
          value={name}
          error={complaintAt(create.error, '/name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="Last day"
          description="It works through this day, in UTC. Left empty, it has no end."
          value={expiresAt}
          error={complaintAt(create.error, '/expiresAt')}
          onChange={(event) => setExpiresAt(event.currentTarget.value)}
        />
        <FormProblem error={create.error} fields={POINTERS} />
        <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
          Make the token
        </Button>
      </Form>
    </Modal>
  );
}
