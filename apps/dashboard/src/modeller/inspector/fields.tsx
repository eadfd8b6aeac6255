import { Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Evaluated } from '../check/protocol.ts';
import { findingsAt, useModelling } from '../context.tsx';

/** Milliseconds without a key after which a text goes into the diagram. */
const REST_MS = 400;

/** A text that goes into the diagram when the author rests or leaves the field; one step of undo each time. */
function useCommitted(value: string, onCommit: (text: string) => void) {
  const [draft, setDraft] = useState<string | null>(null);
  const pending = useRef<{ readonly text: string; readonly commit: (text: string) => void } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const flush = (): void => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = null;
    const last = pending.current;
    pending.current = null;
    setDraft(null);
    if (last) last.commit(last.text);
  };
  // A field that goes away, because another element is selected, keeps what was typed.
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      const last = pending.current;
      pending.current = null;
      if (last) last.commit(last.text);
    },
    [],
  );
  return {
    shown: draft ?? value,
    type(text: string): void {
      setDraft(text);
      pending.current = { text, commit: onCommit };
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        const last = pending.current;
        pending.current = null;
        if (last) last.commit(last.text);
      }, REST_MS);
    },
    flush,
  };
}

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (text: string) => void;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly error?: string | undefined;
}

export function TextField({ label, value, onCommit, error, ...rest }: FieldProps) {
  const { shown, type, flush } = useCommitted(value, onCommit);
  return (
    <TextInput
      size="xs"
      label={label}
      value={shown}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={flush}
      error={error}
      {...rest}
    />
  );
}

/** A longer text, such as JSON. */
export function AreaField({ label, value, onCommit, error, ...rest }: FieldProps) {
  const { shown, type, flush } = useCommitted(value, onCommit);
  return (
    <Textarea
      size="xs"
      autosize
      minRows={3}
      maxRows={20}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      label={label}
      value={shown}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={flush}
      error={error}
      {...rest}
    />
  );
}

export interface FeelProps extends Omit<FieldProps, 'error'> {
  /** The field is FEEL without the sign `=`, which is put before it. */
  readonly bare?: boolean;
  /** Id of the element, for the problems of the platform. */
  readonly elementId: string;
  /** True if a value can be shown: not where variables come from elsewhere. */
  readonly valued?: boolean;
}

/** An expression, with the problem of the platform or the value for the example input below it. */
export function FeelField({ label, value, onCommit, elementId, valued = true, ...rest }: FeelProps) {
  const modelling = useModelling();
  const { shown, type, flush } = useCommitted(value, onCommit);
  const outcome = useValue(shown, valued);
  const problem = findingsAt(modelling, elementId).find(
    ({ expression, isWarning }) => !isWarning && expression !== undefined && sameExpression(expression, shown),
  );
  const input = useRef<HTMLTextAreaElement>(null);
  const { focused } = modelling;
  useEffect(() => {
    if (
      focused?.expression !== undefined &&
      focused.elementId === elementId &&
      sameExpression(focused.expression, value)
    )
      input.current?.focus();
  }, [focused, elementId, value]);
  const error = outcome?.error ?? problem?.message;
  return (
    <div>
      <Textarea
        ref={input}
        size="xs"
        autosize
        minRows={1}
        maxRows={12}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        label={label}
        value={shown}
        onChange={(event) => type(event.currentTarget.value)}
        onBlur={flush}
        error={error}
        placeholder="= expression"
        {...rest}
      />
      {outcome && error === undefined && <Outcome of={outcome} />}
    </div>
  );
}

function sameExpression(a: string, b: string): boolean {
  return a.replace(/^=/, '').trim() === b.replace(/^=/, '').trim();
}

function Outcome({ of: { value, missing } }: { readonly of: Evaluated }) {
  if (value === null && missing.length === 0) return null;
  return (
    <p className="outcome mono" data-outcome>
      → {value ?? `needs ${missing.join(', ')}`}
    </p>
  );
}

/** The value of an expression for the example input; null where there is no expression. */
function useValue(source: string, valued: boolean): Evaluated | null {
  const { checker, example } = useModelling();
  const [known, setKnown] = useState<{ readonly source: string; readonly outcome: Evaluated } | null>(null);
  const isExpression = source.startsWith('=') && source.length > 1;
  useEffect(() => {
    if (!isExpression) return undefined;
    let isWanted = true;
    const timer = setTimeout(() => {
      checker.evaluate(source, example).then(
        (outcome) => isWanted && setKnown({ source, outcome }),
        () => isWanted && setKnown(null),
      );
    }, 150);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [checker, source, example, isExpression]);
  if (!isExpression || known?.source !== source) return null;
  return valued ? known.outcome : known.outcome.error === null ? null : known.outcome;
}

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="inspector-section" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
