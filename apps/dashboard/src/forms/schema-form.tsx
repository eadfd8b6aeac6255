import { Button, FileButton, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ComponentProps, type ReactNode } from 'react';
import { useActing } from '../data/context.tsx';
import { writeExact } from '../data/exact-json.ts';
import { dataPoolsQuery } from '../data/queries.ts';
import { Line } from '../look/markdown.tsx';
import type { Field } from './schema.ts';
import { isValues, jsonOf, listOf, numberOf, textOf, Unfinished, withMember, type Values } from './values.ts';

/** The list of choices is a fifth of the page's scripts, and few services have one. */
const LazySelect = lazy(() => import('./select.ts'));

/** Complaints about the input by JSON Pointer. */
export type Complaints = ReadonlyMap<string, string>;

interface FormProps {
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
  readonly complaints: Complaints;
  readonly at?: string;
}

/** A form for what a service takes. Every input has the JSON Pointer of its member in `data-pointer`. */
export function SchemaForm({ fields, values, onChange, complaints, at = '' }: FormProps) {
  return (
    <div className="form">
      {fields.map((field) => {
        const pointer = `${at}/${field.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const change = (value: unknown): void => onChange(withMember(values, field.name, value));
        return (
          <OneField
            key={field.name}
            field={field}
            value={values[field.name]}
            onChange={change}
            complaints={complaints}
            pointer={pointer}
          />
        );
      })}
    </div>
  );
}

interface FieldProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly complaints: Complaints;
  readonly pointer: string;
}

function OneField({ field, value, onChange, complaints, pointer }: FieldProps) {
  const complaint = complaints.get(pointer);
  const common = {
    label: <Label field={field} />,
    description: field.description ? <Line text={field.description} /> : undefined,
    error: complaint,
    'data-pointer': pointer,
    'aria-required': field.required,
  };
  switch (field.kind) {
    case 'group':
      return (
        <fieldset className="group" data-pointer={pointer} tabIndex={-1}>
          <legend>
            {field.name}
            {field.required && <Required />}
          </legend>
          {field.description && (
            <p className="quiet small">
              <Line text={field.description} />
            </p>
          )}
          {complaint !== undefined && <p className="field-error">{complaint}</p>}
          <SchemaForm
            fields={field.fields}
            values={isValues(value) ? value : {}}
            onChange={onChange}
            complaints={complaints}
            at={pointer}
          />
        </fieldset>
      );
    case 'boolean':
      return field.required || typeof field.default === 'boolean' ? (
        <Switch {...common} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      ) : (
        <Choices
          {...common}
          placeholder="not set"
          data={['true', 'false']}
          value={typeof value === 'boolean' ? String(value) : null}
          onChange={(chosen) => onChange(chosen === null ? undefined : chosen === 'true')}
          clearable
        />
      );
    case 'choice': {
      const index = field.choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
      return (
        <Choices
          {...common}
          placeholder="not set"
          data={field.choices.map(({ label }, at) => ({ value: String(at), label }))}
          value={index < 0 ? null : String(index)}
          onChange={(chosen) => onChange(chosen === null ? undefined : field.choices[Number(chosen)]?.value)}
          clearable={!field.required}
          searchable={field.choices.length > 10}
        />
      );
    }
    case 'number':
      return (
        <TextInput
          {...common}
          inputMode={field.isInteger ? 'numeric' : 'decimal'}
          value={textOf(value)}
          onChange={(event) => onChange(numberOf(event.currentTarget.value, field.isInteger))}
        />
      );
    case 'list':
      return <ListField field={field} common={common} value={value} onChange={onChange} />;
    case 'secret':
      return (
        <PasswordInput
          {...common}
          autoComplete="off"
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
    case 'data-pool':
      return <DataPoolField common={common} value={value} onChange={onChange} />;
    case 'json':
      return <JsonField common={common} value={value} onChange={onChange} />;
    case 'long-text':
      return (
        <Textarea
          {...common}
          autosize
          minRows={3}
          maxRows={12}
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
    default:
      return (
        <TextInput
          {...common}
          type={field.kind === 'date' ? 'date' : 'text'}
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
  }
}

type CommonProps = Readonly<Record<string, unknown>> & {
  readonly label: ReactNode;
  readonly error: string | undefined;
};
interface PartProps {
  readonly common: CommonProps;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Numbers or texts, separated by commas or lines. The text is kept while it is typed. */
function ListField({ field, common, value, onChange }: PartProps & { readonly field: Field & { kind: 'list' } }) {
  const joined = Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value);
  const [text, setText] = useState(joined);
  const isSame = JSON.stringify(valueOf(listOf(text, field.item))) === JSON.stringify(valueOf(value));
  return (
    <Textarea
      {...common}
      autosize
      minRows={1}
      maxRows={8}
      placeholder="values, separated by commas"
      value={isSame ? text : joined}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(listOf(event.currentTarget.value, field.item));
      }}
    />
  );
}

/** Any JSON, typed or from a file. */
function JsonField({ common, value, onChange }: PartProps) {
  const written = value === undefined ? '' : value instanceof Unfinished ? value.text : writeExact(value);
  const [text, setText] = useState(written);
  const isSame = JSON.stringify(valueOf(jsonOf(text))) === JSON.stringify(valueOf(value));
  const load = async (file: File | null): Promise<void> => {
    if (!file) return;
    const content = await file.text();
    setText(content);
    onChange(jsonOf(content));
  };
  return (
    <div>
      <Textarea
        {...common}
        autosize
        minRows={2}
        maxRows={14}
        classNames={{ input: 'mono' }}
        spellCheck={false}
        placeholder="JSON"
        value={isSame ? text : written}
        onChange={(event) => {
          setText(event.currentTarget.value);
          onChange(jsonOf(event.currentTarget.value));
        }}
      />
      <FileButton accept=".json,application/json" onChange={(file) => void load(file)}>
        {(props) => (
          <Button {...props} size="compact-xs" variant="subtle" mt={4}>
            Load a JSON file
          </Button>
        )}
      </FileButton>
    </div>
  );
}

function DataPoolField({ common, value, onChange }: PartProps) {
  const pools = useQuery(dataPoolsQuery(useActing()));
  const chosen = isValues(value) && typeof value['id'] === 'string' ? value['id'] : null;
  return (
    <Choices
      {...common}
      placeholder={pools.isPending ? 'Loading…' : 'Choose a data pool'}
      nothingFoundMessage="There is no data pool here."
      data={(pools.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen}
      onChange={(id) => onChange(id === null ? undefined : { ref: 'DATAPOOL', id })}
      searchable
      clearable
    />
  );
}

/** A list of choices. A field that cannot be used yet stands in its place while it is loaded. */
function Choices(props: ComponentProps<typeof LazySelect>) {
  const { label, description, error } = props;
  return (
    <Suspense fallback={<TextInput label={label} description={description} error={error} disabled />}>
      <LazySelect {...props} />
    </Suspense>
  );
}

function Label({ field }: { readonly field: Field }) {
  return (
    <>
      {field.name} <span className="field-type">{field.type}</span>
      {field.required && <Required />}
    </>
  );
}

function Required() {
  return (
    <span className="required" aria-hidden="true">
      {' '}
      *
    </span>
  );
}

function valueOf(value: unknown): unknown {
  return value instanceof Unfinished ? { unfinished: value.text } : value;
}

/** Focuses the first input about which there is a complaint. */
export function focusFirst(complaints: Complaints): void {
  const inputs = [...document.querySelectorAll<HTMLElement>('[data-pointer]')];
  inputs.find((input) => complaints.has(input.dataset['pointer'] ?? ''))?.focus();
}
