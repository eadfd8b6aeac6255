import { Textarea, TextInput } from '@mantine/core';
import { useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { putBeforeCommands } from './typed.ts';

/** Milliseconds without a key after which a text goes into the diagram. */
const DEBOUNCE_MS = 400;

/**
 * A text that goes into the diagram when the author rests or leaves the field; one step of undo each time. `judge` says
 * what keeps a text out of the diagram: the field keeps it meanwhile.
 */
export function useCommitted(
  value: string,
  commit: (text: string) => void,
  judge: (text: string) => string | null = () => null,
) {
  const onCommit = (text: string): void => {
    if (text !== value && judge(text) === null) commit(text);
  };
  const [draft, setDraft] = useState<string | null>(null);
  const pending = useRef<{ readonly text: string; readonly commit: (text: string) => void } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const put = useCallback((): void => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = null;
    const last = pending.current;
    pending.current = null;
    if (last) last.commit(last.text);
  }, []);
  const flush = (): void => {
    if (draft !== null && judge(draft) === null) setDraft(null);
    put();
  };
  // A field that goes away, because another element is selected or the page is left, keeps what was typed. A layout
  // effect ends before the modeler does.
  useLayoutEffect(() => {
    const forget = putBeforeCommands(put);
    return () => {
      put();
      forget();
    };
  }, [put]);
  return {
    shown: draft ?? value,
    complaint: draft === null ? null : judge(draft),
    type(text: string): void {
      setDraft(text);
      pending.current = { text, commit: onCommit };
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = setTimeout(put, DEBOUNCE_MS);
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
  /** Reason that keeps a text out of the diagram, or null. */
  readonly judge?: (text: string) => string | null;
}

export function TextField({ label, value, onCommit, error, judge, ...rest }: FieldProps) {
  const { shown, complaint, type, flush } = useCommitted(value, onCommit, judge);
  return (
    <TextInput
      size="xs"
      label={label}
      value={shown}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={flush}
      error={complaint ?? error}
      {...rest}
    />
  );
}

/** A longer text, such as JSON. */
export function AreaField({ label, value, onCommit, error, judge, ...rest }: FieldProps) {
  const { shown, complaint, type, flush } = useCommitted(value, onCommit, judge);
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
      error={complaint ?? error}
      {...rest}
    />
  );
}

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="inspector-section" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
