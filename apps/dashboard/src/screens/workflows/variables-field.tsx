import { Textarea } from '@mantine/core';
import { isValues, jsonOf, Unfinished } from '../../forms/values.ts';

/** A field for the variables that a message or a signal brings along. */
export function VariablesField({
  value,
  error,
  onChange,
}: {
  readonly value: string;
  readonly error: string | null | undefined;
  readonly onChange: (text: string) => void;
}) {
  return (
    <Textarea
      label="Variables as JSON"
      autosize
      minRows={3}
      maxRows={14}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      placeholder="{ }"
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The variables that a text means, or a complaint about it. No text means none. */
export function variablesOf(text: string): object | string {
  const value = text.trim() === '' ? {} : jsonOf(text);
  if (isValues(value)) return value;
  return value instanceof Unfinished ? value.complaint : 'Variables are a JSON object: { … }.';
}
