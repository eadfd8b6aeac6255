import type { Implementation } from '@kethub/contract';
import { Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { implementationQuery, implementationsQuery, refsQuery } from '../../data/implementation-queries.ts';
import { ifMatch, tagged, type Tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { useImplementationAddress } from './use-implementation.ts';

const VISIBILITIES = [
  { value: 'PRIVATE', label: 'Private: owner and members' },
  { value: 'PUBLIC', label: 'Public: anybody can read and clone it, also without an account' },
];
const FIELDS = ['/name', '/description', '/defaultBranch', '/protection/patterns'];

/** Name, description, visibility, default branch and protected branches of an implementation. */
export function SettingsForm({ read: { value, etag } }: { readonly read: Tagged<Implementation> }) {
  const { acting, implementationId } = useImplementationAddress();
  const queries = useQueryClient();
  const refs = useQuery(refsQuery(acting, implementationId));
  const [name, setName] = useState(value.name);
  const [description, setDescription] = useState(value.description);
  const [visibility, setVisibility] = useState<string>(value.visibility);
  const [defaultBranch, setDefaultBranch] = useState(value.defaultBranch);
  const [protectsDefault, setProtectsDefault] = useState(value.protection.defaultBranch);
  const [patterns, setPatterns] = useState(value.protection.patterns.join('\n'));
  const wanted = patterns
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const change = useMutation({
    mutationFn: (tag: string | null) =>
      acting.platform.updateImplementation({
        implementationId,
        json: {
          name: name.trim(),
          description,
          visibility: visibility === 'PUBLIC' ? 'PUBLIC' : 'PRIVATE',
          defaultBranch,
          protection: { defaultBranch: protectsDefault, patterns: wanted },
        },
        headers: ifMatch(tag),
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [acting.base, 'implementation', implementationId] });
      await queries.invalidateQueries({ queryKey: implementationsQuery(acting).queryKey });
    },
  });
  const branches = new Set([...(refs.data?.branches.map((one) => one.name) ?? []), value.defaultBranch]);
  const words = (one: string): string => VISIBILITIES.find((known) => known.value === one)?.label ?? one;
  return (
    <form
      className="panel stack"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(etag);
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
        searchable
        limit={200}
        data={[...branches]}
        allowDeselect={false}
        value={defaultBranch}
        error={complaintAt(change.error, '/defaultBranch')}
        onChange={(chosen) => setDefaultBranch(chosen ?? defaultBranch)}
      />
      <Checkbox
        label="Protect the default branch: no push deletes or rewrites it"
        checked={protectsDefault}
        onChange={(event) => setProtectsDefault(event.currentTarget.checked)}
      />
      <Textarea
        label="Other protected branches"
        description="One name in a line; * stands for any text, as in release/*."
        autosize
        minRows={1}
        value={patterns}
        error={wanted.map((_, index) => complaintAt(change.error, `/protection/patterns/${index}`)).find(Boolean)}
        onChange={(event) => setPatterns(event.currentTarget.value)}
      />
      {isStale(change.error) ? (
        <Conflict
          error={change.error}
          read={() => tagged<Implementation>(acting.platform.getImplementation.response({ implementationId }))}
          compare={({ value: theirs }) => [
            { label: 'Name', mine: name, theirs: theirs.name },
            { label: 'Description', mine: description, theirs: theirs.description },
            { label: 'Visibility', mine: words(visibility), theirs: words(theirs.visibility) },
            { label: 'Default branch', mine: defaultBranch, theirs: theirs.defaultBranch },
            {
              label: 'Protected',
              mine: [...(protectsDefault ? ['default branch'] : []), ...wanted].join(', '),
              theirs: [
                ...(theirs.protection.defaultBranch ? ['default branch'] : []),
                ...theirs.protection.patterns,
              ].join(', '),
            },
          ]}
          onMine={(theirs) => change.mutate(theirs.etag)}
          onTheirs={(theirs) => queries.setQueryData(implementationQuery(acting, implementationId).queryKey, theirs)}
        />
      ) : (
        <FormProblem
          error={change.error}
          fields={[...FIELDS, ...wanted.map((_, index) => `/protection/patterns/${index}`)]}
        />
      )}
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
