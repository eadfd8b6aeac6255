import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { writeExact } from '../../data/exact-json.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { VariablesField, variablesOf } from './variables-field.tsx';

const POINTERS = ['/name', '/variables'];

/** Broadcasts a signal to every workflow of the context, and says how many it has reached. */
export function SignalForm({ onClose }: { readonly onClose: () => void }) {
  const { base, platform } = useActing();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [complaint, setComplaint] = useState<string | null>(null);
  const broadcast = useMutation({
    mutationFn: (variables: object) =>
      platform.broadcastWorkflowSignal({ jsonText: writeExact({ name: name.trim(), variables }, 0) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [base, 'service'] }),
  });
  const submit = (): void => {
    const variables = variablesOf(text);
    setComplaint(typeof variables === 'string' ? variables : null);
    if (typeof variables !== 'string') broadcast.mutate(variables);
  };
  return (
    <Modal opened onClose={onClose} title="Broadcast a signal" lockScroll={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p className="quiet" style={{ margin: 0 }}>
          Every instance that waits for the signal gets it, and every start event of its name starts an instance.
        </p>
        <TextInput
          label="Name"
          description="As the workflows call it."
          required
          value={name}
          error={complaintAt(broadcast.error, '/name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <VariablesField
          value={text}
          error={complaint ?? complaintAt(broadcast.error, '/variables')}
          onChange={setText}
        />
        <FormProblem error={broadcast.error} fields={POINTERS} />
        {broadcast.data && (
          <div className="panel" role="status">
            Instances that waited for it: {broadcast.data.waiting}. Instances that it starts: {broadcast.data.starting}.
          </div>
        )}
        <Button type="submit" loading={broadcast.isPending} disabled={name.trim() === ''}>
          Broadcast
        </Button>
      </form>
    </Modal>
  );
}
