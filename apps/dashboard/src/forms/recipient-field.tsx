import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useActing } from '../data/context.tsx';
import { organizationsNamedQuery, peopleQuery } from '../data/data-pool-queries.ts';
import { shortId } from '../look/parts.tsx';

/** Milliseconds after the last key until people are searched. */
const PAUSE_MS = 250;

export interface Recipient {
  readonly type: 'USER' | 'ORGANIZATION';
  readonly id: string;
}

/** Chooses a person by name, or an organization by its whole name or its id. */
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
        <OrganizationField id={value.id} onChange={(id) => onChange({ type: 'ORGANIZATION', id })} error={error} />
      )}
    </div>
  );
}

/** Organizations are found by their whole name or id only, so that nobody can read a list of them. */
function OrganizationField({ id, onChange, error }: FieldOfRecipient) {
  const acting = useActing();
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const found = useQuery(organizationsNamedQuery(acting, wanted));
  const [first, ...others] = found.data ?? [];
  const isSettled = wanted === typed.trim() && !found.isFetching;
  useEffect(() => {
    if (isSettled && others.length === 0) onChange(first?.id ?? '');
    // The caller makes a new function each time; only what was found counts.
  }, [isSettled, first?.id, others.length]);
  return (
    <div className="form">
      <TextInput
        label="Organization"
        description="Its whole name, or its id."
        required
        maxLength={255}
        value={typed}
        error={error ?? (found.error ? 'The search failed. Type again.' : undefined)}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          onChange('');
        }}
      />
      <p className="quiet small" role="status" style={{ margin: 0 }}>
        {typed.trim() === ''
          ? ''
          : !isSettled
            ? 'Searching…'
            : first === undefined
              ? 'No organization has exactly this name or id.'
              : others.length === 0
                ? `Found ${first.name}, ${shortId(first.id)}.`
                : 'Several have this name. Choose one by its id.'}
      </p>
      {first !== undefined && others.length > 0 && (
        <Select
          label="Id"
          required
          data={(found.data ?? []).map((one) => ({ value: one.id, label: one.id }))}
          value={id === '' ? null : id}
          onChange={(chosen) => onChange(chosen ?? '')}
        />
      )}
    </div>
  );
}

interface FieldOfRecipient {
  readonly id: string;
  readonly onChange: (id: string) => void;
  readonly error: string | undefined;
}

function PersonField({ id, onChange, error }: FieldOfRecipient) {
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
