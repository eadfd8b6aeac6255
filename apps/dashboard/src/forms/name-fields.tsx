import { Textarea, TextInput } from '@mantine/core';
import { complaintAt } from './problem-at.tsx';

/** Characters of a name, and of a description, that the platform takes. */
const NAME_LENGTH = 100;
const DESCRIPTION_LENGTH = 5_000;

interface Field {
  readonly value: string;
  /** Error of the request, whose complaint about the field is shown at it. */
  readonly error: unknown;
  readonly onChange: (value: string) => void;
}

/** The name of something. `hint` says where it is shown. With `hasFocus` it is the first field of a dialog. */
export function NameField({ value, error, onChange, hint, hasFocus }: Field & { hint?: string; hasFocus?: boolean }) {
  return (
    <TextInput
      label="Name"
      description={hint}
      required
      {...(hasFocus === true && { 'data-autofocus': true })}
      maxLength={NAME_LENGTH}
      value={value}
      error={complaintAt(error, '/name')}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The description of something. It grows with its text, from `minRows` to `maxRows`. */
export function DescriptionField({
  value,
  error,
  onChange,
  minRows = 2,
  maxRows,
}: Field & { minRows?: number; maxRows?: number }) {
  return (
    <Textarea
      label="Description"
      autosize
      minRows={minRows}
      {...(maxRows !== undefined && { maxRows })}
      maxLength={DESCRIPTION_LENGTH}
      value={value}
      error={complaintAt(error, '/description')}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
