import type { Implementation } from '@kethub/contract';
import { Button, Modal, SegmentedControl, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { isMissing } from '../../data/form-query.ts';
import { implementationsQuery, publicImplementationsQuery } from '../../data/implementation-queries.ts';
import { Form } from '../../forms/form.tsx';
import { DescriptionField, NameField } from '../../forms/name-fields.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { Icon } from '../../look/icons.tsx';
import { More } from '../../look/more.tsx';
import { PageHead, TableHead, Time } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { Import } from './import.tsx';
import { OwnInvitations } from './invitations.tsx';

const VIEWS = [
  { value: 'own', label: 'Yours and shared' },
  { value: 'public', label: 'Public' },
];

/** Git repositories of the context, those shared with it, and the public ones. */
export function Implementations() {
  useTitle('Implementations');
  const mayCreate = useMay('implementation:create');
  const [view, setView] = useState('own');
  const [asked, setAsked] = useState<'create' | 'import' | null>(null);
  return (
    <>
      <PageHead
        title="Implementations"
        note={<span className="quiet">Git repositories, from which services are made.</span>}
        actions={
          mayCreate && (
            <div className="row">
              <Button variant="default" onClick={() => setAsked('import')}>
                Import a repository
              </Button>
              <Button leftSection={<Icon name="plus" />} onClick={() => setAsked('create')}>
                New implementation
              </Button>
            </div>
          )
        }
      />
      <div className="stack">
        <OwnInvitations />
        <div>
          <SegmentedControl aria-label="Which implementations" size="xs" data={VIEWS} value={view} onChange={setView} />
        </div>
        {view === 'own' ? <Own /> : <Public />}
      </div>
      {asked === 'create' && <Create onClose={() => setAsked(null)} />}
      {asked === 'import' && <Import onClose={() => setAsked(null)} />}
    </>
  );
}

/** The public implementations, for somebody who has not signed in. */
export function PublicImplementations() {
  useTitle('Public implementations');
  return (
    <>
      <PageHead
        title="Public implementations"
        note={<span className="quiet">Git repositories that everybody can read and clone.</span>}
      />
      <div className="stack">
        <Public />
      </div>
    </>
  );
}

function Own() {
  const implementations = useInfiniteQuery(implementationsQuery(useActing()));
  const rows = implementations.data?.pages.flat() ?? [];
  if (isMissing(implementations))
    return <Problem error={implementations.error} onRetry={() => void implementations.refetch()} />;
  if (implementations.isPending) return <div className="panel quiet">Loading…</div>;
  if (rows.length === 0)
    return (
      <div className="panel empty">
        <p style={{ margin: 0 }}>
          An implementation keeps the code of a service in Git: with its history, for several people, and with one click
          from a commit to a service.
        </p>
      </div>
    );
  return (
    <>
      {implementations.error && (
        <Problem error={implementations.error} onRetry={() => void implementations.refetch()} />
      )}
      <Table rows={rows} />
      <More of={implementations} />
    </>
  );
}

function Public() {
  const [wanted, setWanted] = useState('');
  const found = useQuery(publicImplementationsQuery(useActing(), wanted.trim()));
  return (
    <>
      <TextInput
        aria-label="Search public implementations"
        placeholder="Search by name or description"
        maxLength={100}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && <div className="panel quiet">No public implementation is found.</div>}
      {found.data && found.data.length > 0 && <Table rows={found.data} />}
    </>
  );
}

function Table({ rows }: { readonly rows: readonly Implementation[] }) {
  const { base } = useActing();
  return (
    <div className="panel flush">
      <table className="list">
        <TableHead columns={['Name', 'Visibility', 'Size', 'Last push']} />
        <tbody>
          {rows.map(({ id, name, description, visibility, bytes: size, pushedAt }) => (
            <tr key={id}>
              <td>
                <Link to={`${base}/implementations/${id}`} className="name">
                  {name}
                </Link>
                {description !== '' && <div className="quiet small">{description.slice(0, 200)}</div>}
              </td>
              <td className="quiet">{visibility === 'PUBLIC' ? 'public' : 'private'}</td>
              <td className="numbers">{bytes(size)}</td>
              <td className="quiet">{pushedAt === undefined ? 'never' : <Time at={pushedAt} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Create({ onClose }: { readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = useMutation({
    mutationFn: () => acting.platform.createImplementation({ json: { name: name.trim(), description } }),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: implementationsQuery(acting).queryKey });
      await navigate({ to: `${acting.base}/implementations/${id}` });
    },
  });
  return (
    <Modal opened onClose={onClose} title="New implementation" lockScroll={false}>
      <Form className="stack" request={create} onSubmit={() => create.mutate()}>
        <NameField
          hint="Lower-case letters, digits, dots, - and _. It is the last part of the address."
          hasFocus
          value={name}
          error={create.error}
          onChange={setName}
        />
        <DescriptionField value={description} error={create.error} onChange={setDescription} />
        <FormProblem error={create.error} fields={['/name', '/description']} />
        <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
          Create
        </Button>
      </Form>
    </Modal>
  );
}
