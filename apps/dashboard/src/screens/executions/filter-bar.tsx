import { Button, Checkbox, MultiSelect, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { applicationsQuery } from '../../data/application-queries.ts';
import { useActing } from '../../data/context.tsx';
import { meQuery, servicesQuery } from '../../data/queries.ts';
import { localOf, statusesOf, timeOf, type ExecutionFilter } from './filter.ts';

const STATUSES = [
  { value: 'PENDING', label: 'Waiting' },
  { value: 'RUNNING', label: 'Running' },
  { value: 'SUCCEEDED', label: 'Succeeded' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'CANCELLED', label: 'Cancelled' },
  { value: 'UNKNOWN', label: 'Unknown' },
];

/** Restricts a list of executions by their states. */
export function StatusFilter({
  status,
  onChange,
}: {
  readonly status: string | undefined;
  readonly onChange: (status: string | undefined) => void;
}) {
  const chosen = statusesOf({ status });
  return (
    <MultiSelect
      aria-label="States"
      placeholder={chosen.length === 0 ? 'Every state' : ''}
      data={STATUSES}
      value={[...chosen]}
      onChange={(next) => onChange(next.length === 0 ? undefined : next.join(','))}
      clearable
      style={{ minWidth: 170 }}
    />
  );
}

/** Fields that restrict the list of executions. Each change is applied at once, and stands in the address. */
export function FilterBar({
  filter,
  onChange,
}: {
  readonly filter: ExecutionFilter;
  readonly onChange: (filter: ExecutionFilter) => void;
}) {
  const acting = useActing();
  const services = useInfiniteQuery(servicesQuery(acting));
  const applications = useInfiniteQuery(applicationsQuery(acting));
  const { data: me } = useQuery(meQuery(acting.platform));
  const hasMore = ['applicationId', 'personId', 'version', 'from', 'to', 'tasks'].some((name) => name in filter);
  const [isOpen, setOpen] = useState(hasMore);
  const put = (name: keyof ExecutionFilter, value: string | boolean | undefined): void => {
    const { [name]: _, ...others } = filter;
    onChange(value === undefined || value === '' ? others : { ...others, [name]: value });
  };
  return (
    <div className="stack" style={{ gap: 8 }}>
      <div className="row">
        <Select
          aria-label="Service"
          placeholder="Every service"
          data={(services.data?.pages.flat() ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={filter.serviceId ?? null}
          onChange={(id) => put('serviceId', id ?? undefined)}
          clearable
          searchable
        />
        <StatusFilter status={filter.status} onChange={(status) => put('status', status)} />
        <TextFilter label="Tag" value={filter.tag} onChange={(tag) => put('tag', tag)} />
        <Button variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
        {Object.keys(filter).length > 0 && (
          <Button variant="subtle" onClick={() => onChange({})}>
            Show all
          </Button>
        )}
      </div>
      {isOpen && (
        <div className="row" style={{ alignItems: 'end' }}>
          <Select
            label="Started by"
            placeholder="Anybody"
            data={[
              ...(me ? [{ value: me.id, label: 'You' }] : []),
              ...(applications.data?.pages.flat() ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={filter.personId ?? filter.applicationId ?? null}
            onChange={(id) => {
              const { personId: _, applicationId: __, ...others } = filter;
              onChange(id === null ? others : { ...others, [id === me?.id ? 'personId' : 'applicationId']: id });
            }}
            clearable
            searchable
          />
          <TextFilter
            label="Version"
            isLabelled
            value={filter.version}
            onChange={(version) => put('version', version)}
          />
          <TextInput
            type="datetime-local"
            label="Created from"
            value={localOf(filter.from)}
            onChange={(event) => put('from', timeOf(event.currentTarget.value))}
          />
          <TextInput
            type="datetime-local"
            label="Created before"
            value={localOf(filter.to)}
            onChange={(event) => put('to', timeOf(event.currentTarget.value))}
          />
          <Checkbox
            label="Without calls of workflows"
            checked={filter.tasks === false}
            onChange={(event) => put('tasks', event.currentTarget.checked ? false : undefined)}
          />
        </div>
      )}
    </div>
  );
}

/** A text that is applied with Enter or when the field is left. */
function TextFilter({
  label,
  value,
  isLabelled = false,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly isLabelled?: boolean;
  readonly onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  const apply = (): void => {
    if (text.trim() !== (value ?? '')) onChange(text.trim() === '' ? undefined : text.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <TextInput
        {...(isLabelled ? { label } : { 'aria-label': label })}
        placeholder={`${label}, then Enter`}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={apply}
      />
    </form>
  );
}
