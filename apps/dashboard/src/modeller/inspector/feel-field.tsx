import { Textarea } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { LongText } from '../../look/long-text.tsx';
import type { Evaluated } from '../check/protocol.ts';
import { findingsAt, useModelling } from '../context.tsx';
import type { Side } from '../suggest/variables.ts';
import { useCommitted, type FieldProps } from './fields.tsx';
import { SuggestionList, useSuggestions } from './suggestions.tsx';

export interface FeelProps extends Omit<FieldProps, 'error' | 'judge'> {
  /** Id of the element, for the problems of the platform. */
  readonly elementId: string;
  /** True if a value can be shown: not where variables come from elsewhere. */
  readonly valued?: boolean;
  /** An output sees the result of the element as well. */
  readonly side?: Side;
}

/** An expression, with the problem of the platform or the value for the example input below it. */
export function FeelField({ label, value, onCommit, elementId, valued = true, side = 'input', ...rest }: FeelProps) {
  const modelling = useModelling();
  const { shown, type, flush } = useCommitted(value, onCommit);
  const outcome = useValue(shown, valued);
  // An empty text is a problem of a field that must have one, not of the empty fields beside it.
  const isLeftOut = rest.required !== true && shown.trim() === '';
  const problem = findingsAt(modelling, elementId).find(
    ({ expression, isWarning }) =>
      !isWarning && !isLeftOut && expression !== undefined && sameExpression(expression, shown),
  );
  const input = useRef<HTMLTextAreaElement>(null);
  const { focused } = modelling;
  useEffect(() => {
    if (
      focused?.expression !== undefined &&
      !isLeftOut &&
      focused.elementId === elementId &&
      sameExpression(focused.expression, value)
    )
      input.current?.focus();
  }, [focused, elementId, value, isLeftOut]);
  const error = outcome?.error ?? problem?.message;
  const suggesting = useSuggestions({ input, elementId, side, onText: type });
  return (
    <div className="feel">
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
        onChange={(event) => {
          type(event.currentTarget.value);
          suggesting.look(event.currentTarget, false);
        }}
        onBlur={() => {
          suggesting.close();
          flush();
        }}
        error={error !== undefined && <LongText>{error}</LongText>}
        placeholder="= expression"
        {...suggesting.attributes}
        {...rest}
      />
      <SuggestionList {...suggesting} />
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
      → <LongText>{value ?? `needs ${missing.join(', ')}`}</LongText>
    </p>
  );
}

/** An evaluation that was stopped, because it took too long. */
function stopped(error: unknown): Evaluated {
  return { value: null, error: error instanceof Error ? error.message : String(error), missing: [] };
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
        (error: unknown) => isWanted && setKnown({ source, outcome: stopped(error) }),
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
