import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { parseExact, writeExact } from '../../data/exact-json.ts';
import { LongText } from '../../look/long-text.tsx';
import { changedOnly } from '../../screens/workflows/corrections.ts';
import type { RehearsedIncident } from '../check/protocol.ts';

/** An incident with the variables there, and another try with those that are corrected. */
export function IncidentForm({
  incident: { message, code, variables },
  where,
  onRetry,
}: {
  readonly incident: RehearsedIncident;
  readonly where: string;
  readonly onRetry: (variables: string) => void;
}) {
  const [text, setText] = useState(() => writeExact(parseExact(variables)));
  const [error, setError] = useState<string | null>(null);
  const retry = (): void => {
    try {
      const [before, after] = [parseExact(variables), parseExact(text)] as Readonly<Record<string, unknown>>[];
      setError(null);
      onRetry(writeExact(changedOnly(before ?? {}, after ?? {}), 0));
    } catch (failure) {
      setError(`This is no JSON: ${failure instanceof Error ? failure.message : ''}`);
    }
  };
  return (
    <section className="panel stack" aria-label={`Incident at ${where}`}>
      <h3>Stands still at {where}</h3>
      <p className="note unspaced">
        <LongText>{`${code}: ${message}`}</LongText>
      </p>
      <Textarea
        label="Variables there"
        description="Correct them. Only what you change is set."
        autosize
        maxRows={10}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={text}
        error={error}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className="row">
        <Button size="xs" onClick={retry}>
          Try again
        </Button>
      </div>
    </section>
  );
}
