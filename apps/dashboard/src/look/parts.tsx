import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { Icon } from './icons.tsx';
import { parseTime, relativeTime } from './time.ts';

/** A name that can be called: `|name⟩`, drawn, so that no font has to have the sign. */
export function Ket({ children }: { readonly children: ReactNode }) {
  return (
    <span className="ket">
      <svg viewBox="0 0 4 24" fill="none" stroke="currentColor" strokeWidth="2.4" aria-hidden="true">
        <path d="M2 1v22" />
      </svg>
      <span>{children}</span>
      <svg viewBox="0 0 9 24" fill="none" stroke="currentColor" strokeWidth="2.4" aria-hidden="true">
        <path d="M1.5 1l6 11-6 11" />
      </svg>
    </span>
  );
}

const STATES: Readonly<Record<string, readonly [word: string, color: string]>> = {
  PENDING: ['Waiting', '--waiting'],
  RUNNING: ['Running', '--accent'],
  SUCCEEDED: ['Succeeded', '--succeeded'],
  FAILED: ['Failed', '--failed'],
  CANCELLED: ['Cancelled', '--cancelled'],
  UNKNOWN: ['Unknown', '--unknown'],
  NEW: ['Waiting', '--waiting'],
  COMPLETED: ['Completed', '--succeeded'],
  ERROR: ['Ended in error', '--failed'],
  INCIDENT: ['Stands still', '--failed'],
  DRAFT: ['Draft', '--waiting'],
  PUBLISHED: ['Published', '--succeeded'],
  RETIRED: ['Retired', '--cancelled'],
  APPROVED: ['Approved', '--succeeded'],
  REJECTED: ['Rejected', '--failed'],
  SWITCHED_OFF: ['Switched off', '--cancelled'],
  ACTIVE: ['Active', '--succeeded'],
  NOT_YET: ['Not yet', '--waiting'],
  EXPIRED: ['Ended', '--cancelled'],
  NEVER_ACTIVE: ['Never active', '--failed'],
};

/** The state of an execution, a build or a version: a word in a colour. */
export function State({ of, prefix = '' }: { readonly of: string; readonly prefix?: string }) {
  const [word, color] = STATES[of] ?? [of, '--cancelled'];
  return (
    <span className="state" style={{ color: `var(${color})` }}>
      {prefix === '' ? word : `${prefix} ${word.toLowerCase()}`}
    </span>
  );
}

/** Milliseconds between two renewals of relative times. */
const TICK_MS = 20_000;

/** A time of the API, relative, with the absolute one as its title. */
export function Time({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const ms = parseTime(at);
  if (Number.isNaN(ms)) return <span>{at}</span>;
  const date = new Date(ms);
  return (
    <time dateTime={date.toISOString()} title={`${date.toLocaleString()} (${date.toISOString()})`}>
      {relativeTime(ms, Math.max(now, Date.now()))}
    </time>
  );
}

/** The last eight characters of an id: the first ones of ids that were made in the same minute are equal. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`;
}

export function CopyButton({
  value,
  label = 'Copy',
}: {
  /** The text, or what makes it when it is wanted: that of a large result takes a while. */
  readonly value: string | (() => string);
  readonly label?: string;
}) {
  const clipboard = useClipboard({ timeout: 1_500 });
  return (
    <ActionIcon
      variant="default"
      size={28}
      aria-label={label}
      title={clipboard.copied ? 'Copied' : label}
      onClick={() => clipboard.copy(typeof value === 'string' ? value : value())}
    >
      <Icon name={clipboard.copied ? 'check' : 'copy'} size={15} />
    </ActionIcon>
  );
}

export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div style={{ position: 'relative' }}>
      <pre className="code" tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <div style={{ position: 'absolute', top: 8, right: 8 }}>
        <CopyButton value={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}

/** Head of a page: where it stands, its title and its main actions. */
export function PageHead({
  trail,
  title,
  actions,
  note,
}: {
  readonly trail?: ReactNode;
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly note?: ReactNode;
}) {
  return (
    <header className="page-head">
      <div>
        {trail && <nav aria-label="Breadcrumb">{trail}</nav>}
        <h1>{title}</h1>
        {note}
      </div>
      {actions && <div className="row">{actions}</div>}
    </header>
  );
}

/** Head of a table. Only screen readers say the name of a last column that holds buttons: `spoken`. */
export function TableHead({ columns, spoken }: { readonly columns: readonly string[]; readonly spoken?: string }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
        {spoken !== undefined && (
          <th scope="col">
            <span className="sr-only">{spoken}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
