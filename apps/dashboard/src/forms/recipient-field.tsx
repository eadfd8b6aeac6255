import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing } from '../data/context.tsx';
import { peopleQuery } from '../data/data-pool-queries.ts';

/** Milliseconds after the last key until people are searched. */
const PAUSE_MS = 250;

export interface Recipient {
  readonly type: 'USER' | 'ORGANIZATION';
  readonly id: string;
}

/** Chooses a person by name, or an organization by its id. */
export function RecipientField({
  value,
  onChange,
  error,
}: {
  readonly value: Recipient;
  readonly onChange: (value: Recipient) => void;
  readonly error: string | undefined;
}) {
  return (
    <div className="form">
      <SegmentedControl
        aria-label="Person or organization"
        data={[
          { value: 'USER', label: 'Person' },
          { value: 'ORGANIZATION', label: 'Organization' },
        ]}
        value={value.type}
        onChange={(type) => onChange({ type: type === 'USER' ? 'USER' : 'ORGANIZATION', id: '' })}
      />
      {value.type === 'USER' ? (
        <PersonField id={value.id} onChange={(id) => onChange({ type: 'USER', id })} error={error} />
      ) : (
        <TextInput
          label="Id of the organization"
          description="Its members see the id in the address of its pages, behind /org/."
          required
          className="mono"
          value={value.id}
          error={error}
          onChange={(event) => onChange({ type: 'ORGANIZATION', id: event.currentTarget.value.trim() })}
        />
      )}
    </div>
  );
}

function PersonField({
  id,
  onChange,
  error,
}: {
  readonly id: string;
  readonly onChange: (id: string) => void;
  readonly error: string | undefined;
}) {
  const acting = useActing();
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed, PAUSE_MS);
  const people = useQuery({ ...peopleQuery(acting, wanted), placeholderData: (before) => before });
  return (
    <Select
      label="Person"
      description="Part of a first name, last name or user name."
      required
      searchable
      openOnFocus={false}
      // The platform has searched.
      filter={({ options }) => options}
      data={(people.data ?? []).map((one) => ({ value: one.id, label: `${one.firstname} ${one.lastname}` }))}
      nothingFoundMessage={
        typed.trim() === '' ? 'Type a name.' : people.isFetching ? 'Searching…' : 'Nobody has this name.'
      }
      value={id === '' ? null : id}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(chosen) => onChange(chosen ?? '')}
      error={error ?? (people.error ? 'The search failed. Type again.' : undefined)}
    />
  );
}
