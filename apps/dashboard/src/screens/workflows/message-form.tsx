import { Autocomplete, Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { writeExact } from '../../data/exact-json.ts';
import { serviceQuery, versionQuery } from '../../data/queries.ts';
import { instancesKey } from '../../data/workflow-queries.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { VariablesField, variablesOf } from './variables-field.tsx';

const POINTERS = ['/name', '/correlationKey', '/variables'];

/** Sends a message to instances that wait for it, or to a start event, and says what has become of it. */
export function MessageForm({ onClose }: { readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const service = useQuery(serviceQuery(acting, serviceId));
  const newest = service.data?.versions[0]?.version ?? '';
  const version = useQuery({ ...versionQuery(acting, serviceId, newest), enabled: newest !== '' });
  const names = [...new Set(version.data?.workflow?.messages.map(({ name }) => name) ?? [])];
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const [text, setText] = useState('');
  const [complaint, setComplaint] = useState<string | null>(null);
  const send = useMutation({
    mutationFn: (variables: object) =>
      acting.platform.publishWorkflowMessage({
        serviceId,
        jsonText: writeExact({ name: name.trim(), correlationKey: key, variables }, 0),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: instancesKey(acting.base, serviceId) }),
  });
  const submit = (): void => {
    const variables = variablesOf(text);
    setComplaint(typeof variables === 'string' ? variables : null);
    if (typeof variables !== 'string') send.mutate(variables);
  };
  return (
    <Modal opened onClose={onClose} title="Send a message" lockScroll={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Autocomplete
          label="Name"
          description="As the workflow calls it."
          required
          openOnFocus={false}
          data={names}
          value={name}
          error={complaintAt(send.error, '/name')}
          onChange={setName}
        />
        <TextInput
          label="Correlation key"
          description="The value by which an instance knows its message. Empty for most start events."
          value={key}
          error={complaintAt(send.error, '/correlationKey')}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <VariablesField value={text} error={complaint ?? complaintAt(send.error, '/variables')} onChange={setText} />
        <FormProblem error={send.error} fields={POINTERS} />
        {send.data && (
          <div className="panel" role="status">
            {send.data.detail}
          </div>
        )}
        <Button type="submit" loading={send.isPending} disabled={name.trim() === ''}>
          Send
        </Button>
      </form>
    </Modal>
  );
}
