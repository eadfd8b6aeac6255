import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { organizationQuery } from '../../data/organization-queries.ts';
import { organizationsQuery } from '../../data/queries.ts';
import { ifMatch } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useOrganization } from './use-organization.ts';

/** Renames the organization, unless somebody else has done so meanwhile. */
export function Rename({ onClose }: { readonly onClose: () => void }) {
  const { acting, organizationId } = useOrganization();
  const present = useQuery({ ...organizationQuery(acting, organizationId), gcTime: 0, staleTime: Infinity });
  return (
    <Modal opened onClose={onClose} title="Rename the organization" lockScroll={false}>
      {present.error && <Problem error={present.error} />}
      {present.isPending && <p className="quiet">Loading…</p>}
      {present.data && <NewName name={present.data.value.name} etag={present.data.etag} onClose={onClose} />}
    </Modal>
  );
}

function NewName({
  name: present,
  etag,
  onClose,
}: {
  readonly name: string;
  readonly etag: string | null;
  readonly onClose: () => void;
}) {
  const { acting, organizationId } = useOrganization();
  const queries = useQueryClient();
  const [name, setName] = useState(present);
  const [seen, setSeen] = useState(etag);
  const rename = useMutation({
    mutationFn: (over: string | null) =>
      acting.platform.renameOrganization({ organizationId, json: { name: name.trim() }, headers: ifMatch(over) }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: organizationsQuery(acting.platform).queryKey });
      onClose();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate(seen);
      }}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={100}
        value={name}
        error={complaintAt(rename.error, '/name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <FormProblem error={rename.error} fields={['/name']} />
      <Conflict
        error={rename.error}
        read={() => queries.fetchQuery({ ...organizationQuery(acting, organizationId), staleTime: 0 })}
        compare={({ value }) => [{ label: 'Name', mine: name, theirs: value.name }]}
        onMine={(theirs) => rename.mutate(theirs.etag)}
        onTheirs={(theirs) => {
          setName(theirs.value.name);
          setSeen(theirs.etag);
          rename.reset();
        }}
      />
      {!isStale(rename.error) && (
        <Button type="submit" loading={rename.isPending} disabled={name.trim() === ''}>
          Save
        </Button>
      )}
    </form>
  );
}
