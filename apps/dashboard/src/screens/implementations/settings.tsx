import type { Implementation } from '@kethub/contract';
import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { implementationQuery, implementationsQuery, refsQuery } from '../../data/implementation-queries.ts';
import { ifMatch, type Tagged } from '../../data/tagged.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { roleInWords } from '../../look/roles.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { Members } from './members.tsx';
import { useImplementationAddress } from './use-implementation.ts';

/** Settings of an implementation, who may use it, and its deletion. */
export function Settings() {
  const { acting, implementationId } = useImplementationAddress();
  const implementation = useQuery(implementationQuery(acting, implementationId));
  const [isDeleting, setDeleting] = useState(false);
  if (!implementation.data) return null;
  const { name, role, owner } = implementation.data.value;
  return (
    <div className="stack">
      {isEnough(role, 'implementation:change') ? (
        // The form keeps what was typed until somebody has saved something else.
        <Form key={implementation.data.etag} read={implementation.data} />
      ) : (
        <div className="panel quiet">Your role is {roleInWords(role)}: only an owner changes settings.</div>
      )}
      {isEnough(role, 'implementation-member:list') && <Members role={role} owner={owner} />}
      {isEnough(role, 'implementation:delete') && (
        <div>
          <Button variant="default" onClick={() => setDeleting(true)} style={{ color: 'var(--failed)' }}>
            Delete the implementation
          </Button>
        </div>
      )}
      {isDeleting && <Deletion name={name} onClose={() => setDeleting(false)} />}
    </div>
  );
}

const VISIBILITIES = [
  { value: 'PRIVATE', label: 'Private: owner and members' },
  { value: 'PUBLIC', label: 'Public: anybody can read and clone it, also without an account' },
];

function Form({ read: { value, etag } }: { readonly read: Tagged<Implementation> }) {
  const { acting, implementationId } = useImplementationAddress();
  const queries = useQueryClient();
  const refs = useQuery(refsQuery(acting, implementationId));
  const [name, setName] = useState(value.name);
  const [description, setDescription] = useState(value.description);
  const [visibility, setVisibility] = useState<string>(value.visibility);
  const [defaultBranch, setDefaultBranch] = useState(value.defaultBranch);
  const change = useMutation({
    mutationFn: () =>
      acting.platform.updateImplementation({
        implementationId,
        json: {
          name: name.trim(),
          description,
          visibility: visibility === 'PUBLIC' ? 'PUBLIC' : 'PRIVATE',
          defaultBranch,
        },
        headers: ifMatch(etag),
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [acting.base, 'implementation', implementationId] });
      await queries.invalidateQueries({ queryKey: implementationsQuery(acting).queryKey });
    },
  });
  const branches = new Set([...(refs.data?.branches.map((one) => one.name) ?? []), value.defaultBranch]);
  return (
    <form
      className="panel stack"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <TextInput
        label="Name"
        description="After a change the old address still answers."
        required
        maxLength={100}
        value={name}
        error={complaintAt(change.error, '/name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxLength={5_000}
        value={description}
        error={complaintAt(change.error, '/description')}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Select
        label="Visibility"
        data={VISIBILITIES}
        allowDeselect={false}
        value={visibility}
        onChange={(chosen) => setVisibility(chosen ?? 'PRIVATE')}
      />
      <Select
        label="Default branch"
        data={[...branches]}
        allowDeselect={false}
        value={defaultBranch}
        onChange={(chosen) => setDefaultBranch(chosen ?? defaultBranch)}
      />
      <FormProblem error={change.error} fields={['/name', '/description']} />
      <div className="row">
        <Button type="submit" loading={change.isPending} disabled={name.trim() === ''}>
          Save
        </Button>
        {change.isSuccess && (
          <span className="quiet small" role="status">
            Saved.
          </span>
        )}
      </div>
    </form>
  );
}

function Deletion({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { acting, implementationId } = useImplementationAddress();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteImplementation({ implementationId }),
    async onSuccess() {
      await navigate({ to: `${acting.base}/implementations` });
      queries.removeQueries({ queryKey: [acting.base, 'implementation', implementationId] });
      await queries.invalidateQueries({ queryKey: implementationsQuery(acting).queryKey });
    },
  });
  return (
    <Confirm title={`Delete ${name}?`} action="Delete" name={name} request={remove} onClose={onClose}>
      Nobody can clone it any more. Services that were made of it stay as they are.
    </Confirm>
  );
}
