import type { WorkflowInstance, WorkflowInstanceCounts } from '@kethub/contract';
import { Button, Select, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { InstanceFilter } from '../../data/workflow-queries.ts';

const PHASES: Readonly<Record<WorkflowInstance['phase'], string>> = {
  NEW: 'Waiting',
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  CANCELLED: 'Cancelled',
  ERROR: 'Ended in error',
};
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The filter of instances that stands in the address. What is no filter is left out. */
export function filterIn(search: Readonly<Record<string, unknown>>): InstanceFilter {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
  };
  const phase = (Object.keys(PHASES) as WorkflowInstance['phase'][]).find((one) => one === search['phase']);
  const [version, elementId, errorCode] = [text('version'), text('element'), text('error')];
  const [from, to] = [text('from'), text('to')].map((day) => (day !== undefined && isDay(day) ? day : undefined));
  return {
    ...(phase !== undefined && { phase }),
    ...(typeof search['incidents'] === 'boolean' && { hasIncidents: search['incidents'] }),
    ...(version !== undefined && /^\d+\.\d+\.\d+$/.test(version) && { version }),
    ...(elementId !== undefined && { elementId }),
    ...(errorCode !== undefined && { errorCode }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

/** The search of an address that has this filter. */
export function searchOf({ hasIncidents, elementId, errorCode, ...same }: InstanceFilter) {
  return {
    ...same,
    ...(hasIncidents !== undefined && { incidents: hasIncidents }),
    ...(elementId !== undefined && { element: elementId }),
    ...(errorCode !== undefined && { error: errorCode }),
  };
}

export function useInstanceFilter(): InstanceFilter {
  return filterIn(useSearch({ strict: false }));
}

/** Filters of instances. Each change stands in the address at once. */
export function Filters({
  filter,
  versions,
}: {
  readonly filter: InstanceFilter;
  readonly versions: readonly string[];
}) {
  const navigate = useNavigate();
  const change = (name: keyof InstanceFilter, value: string | null): void => {
    const { [name]: _, ...others } = filter;
    void navigate({
      to: '.',
      search: searchOf(value === null || value === '' ? others : { ...others, [name]: value }),
    });
  };
  return (
    <div className="row filters" role="search" aria-label="Instances">
      <Select
        size="xs"
        aria-label="Version"
        placeholder="Every version"
        data={versions}
        value={filter.version ?? null}
        onChange={(version) => change('version', version)}
        clearable
        w={150}
      />
      <Entered
        label="Element with an incident"
        value={filter.elementId ?? ''}
        onEnter={(text) => change('elementId', text)}
      />
      <Entered label="Error code" value={filter.errorCode ?? ''} onEnter={(text) => change('errorCode', text)} />
      <Day label="Started from (UTC)" value={filter.from} onChange={(day) => change('from', day)} />
      <Day label="to (UTC)" value={filter.to} onChange={(day) => change('to', day)} />
      {Object.keys(filter).length > 0 && (
        <Button size="xs" variant="subtle" renderRoot={(props) => <Link to="." search={{}} {...props} />}>
          Show all
        </Button>
      )}
    </div>
  );
}

/** A text that filters when it is entered, or left. */
function Entered({
  label,
  value,
  onEnter,
}: {
  readonly label: string;
  readonly value: string;
  readonly onEnter: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const enter = (): void => {
    if (text.trim() !== value) onEnter(text.trim());
  };
  return (
    <TextInput
      size="xs"
      aria-label={label}
      placeholder={`${label}, then Enter`}
      value={text}
      maxLength={200}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={enter}
      onKeyDown={({ key }) => key === 'Enter' && enter()}
    />
  );
}

function Day({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (day: string) => void;
}) {
  return (
    <label className="row small" style={{ gap: 6 }}>
      {label}
      <TextInput
        size="xs"
        type="date"
        value={value ?? ''}
        onChange={(event) => {
          const day = event.currentTarget.value;
          if (day === '' || isDay(day)) onChange(day);
        }}
      />
    </label>
  );
}

/** Numbers by phase; each shows only its own. */
export function Counts({
  counts: { counted, isPartial, phases, withIncidents },
  filter,
}: {
  readonly counts: WorkflowInstanceCounts;
  readonly filter: InstanceFilter;
}) {
  const { phase: shown, hasIncidents: only, ...others } = filter;
  const all = shown === undefined && only === undefined;
  return (
    <nav className="row counts" aria-label="Instances by state">
      <Count to={others} isShown={all} word="All" number={counted} isPartial={isPartial} />
      {(Object.entries(PHASES) as [WorkflowInstance['phase'], string][]).map(
        ([phase, word]) =>
          (phases[phase] ?? 0) > 0 && (
            <Count
              key={phase}
              to={{ ...others, phase }}
              isShown={shown === phase}
              word={word}
              number={phases[phase] ?? 0}
            />
          ),
      )}
      {withIncidents > 0 && (
        <Count
          to={{ ...others, hasIncidents: true }}
          isShown={only === true}
          word="Stand still"
          number={withIncidents}
        />
      )}
    </nav>
  );
}

function Count({
  to,
  isShown,
  word,
  number,
  isPartial = false,
}: {
  readonly to: InstanceFilter;
  readonly isShown: boolean;
  readonly word: string;
  readonly number: number;
  readonly isPartial?: boolean;
}) {
  return (
    <Link to="." search={searchOf(to)} className="chip" aria-current={isShown ? 'true' : undefined}>
      {word} <span className="numbers">{isPartial ? `${number}+` : number}</span>
    </Link>
  );
}
