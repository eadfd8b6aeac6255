import { Button, Modal, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { formQuery } from '../data/form-query.ts';
import { ifMatch, type Tagged } from '../data/tagged.ts';
import { Problem } from '../shell/problem.tsx';
import { Conflict, isStale } from './conflict.tsx';
import { useDraft } from './draft.ts';
import { Form } from './form.tsx';
import { complaintAt, FormProblem } from './problem-at.tsx';

/** One text of a form. */
export interface TextOfForm<Key extends string> {
  readonly key: Key;
  readonly label: string;
  readonly maxLength: number;
  /** True for a text of several lines. */
  readonly isLong?: boolean;
  /** True if it may not be empty. */
  readonly isNeeded?: boolean;
  readonly placeholder?: string;
}

type Texts<Key extends string> = Readonly<Record<Key, string>>;

interface Saving<Key extends string> {
  readonly fields: readonly TextOfForm<Key>[];
  /** Reads what is saved now. */
  readonly read: () => Promise<Tagged<Texts<Key>>>;
  /** Saves the texts, unless something else than the tag in `headers` is saved already. */
  readonly save: (texts: Texts<Key>, headers: Readonly<Record<string, string>>) => Promise<Response>;
  /** Called when the texts are saved. */
  readonly onSaved: () => unknown;
}

/** A dialog that reads some texts and changes them. Somebody else's change in the meantime is shown, not overwritten. */
export function ChangeTexts<Key extends string>({
  title,
  onClose,
  ...saving
}: Saving<Key> & { readonly title: string; readonly onClose: () => void }) {
  const present = useQuery(formQuery([useId()], saving.read));
  return (
    <Modal opened onClose={onClose} title={title} lockScroll={false}>
      {present.error && <Problem error={present.error} onRetry={() => void present.refetch()} />}
      {present.isPending && <p className="quiet">Loading…</p>}
      {present.data && <TextsForm {...saving} present={present.data} />}
    </Modal>
  );
}

/** The texts themselves, with the button that saves them. */
export function TextsForm<Key extends string>({
  fields,
  present,
  read,
  save,
  onSaved,
}: Saving<Key> & { readonly present: Tagged<Texts<Key>> }) {
  const { seen, draft: texts, setDraft: setTexts, show, saved } = useDraft(present, ({ value }) => value);
  const change = useMutation({
    mutationFn: (over: string | null) => save(texts, ifMatch(over)),
    async onSuccess(response) {
      saved({ value: texts, etag: response.headers.get('etag') });
      await onSaved();
    },
  });
  const isChanged = fields.some(({ key }) => texts[key] !== seen.value[key]);
  const isComplete = fields.every(({ key, isNeeded = false }) => !isNeeded || texts[key].trim() !== '');
  return (
    <Form className="stack" request={change} onSubmit={() => change.mutate(seen.etag)}>
      {fields.map(({ key, label, maxLength, isLong = false, isNeeded = false, placeholder }, index) => {
        const input = {
          label,
          maxLength,
          required: isNeeded,
          value: texts[key],
          error: complaintAt(change.error, `/${key}`),
          onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
            setTexts({ ...texts, [key]: event.currentTarget.value }),
          ...(placeholder !== undefined && { placeholder }),
          ...(index === 0 && { 'data-autofocus': true }),
        };
        return isLong ? (
          <Textarea key={key} autosize minRows={4} maxRows={16} {...input} />
        ) : (
          <TextInput key={key} {...input} />
        );
      })}
      <FormProblem error={change.error} fields={fields.map(({ key }) => `/${key}`)} />
      <Conflict
        error={change.error}
        read={read}
        compare={({ value }) => fields.map(({ key, label }) => ({ label, mine: texts[key], theirs: value[key] }))}
        onMine={(theirs) => change.mutate(theirs.etag)}
        onTheirs={(theirs) => {
          show(theirs);
          change.reset();
        }}
      />
      {!isStale(change.error) && (
        <div className="row">
          <Button type="submit" loading={change.isPending} disabled={!isChanged || !isComplete}>
            Save
          </Button>
          {change.isSuccess && !isChanged && (
            <span className="quiet small" role="status">
              Saved.
            </span>
          )}
        </div>
      )}
    </Form>
  );
}

/** Name and description, as services and data pools have them. */
export const NAME_AND_DESCRIPTION = [
  { key: 'name', label: 'Name', maxLength: 100, isNeeded: true },
  { key: 'description', label: 'Description', maxLength: 5_000, isLong: true },
] as const satisfies readonly TextOfForm<string>[];
