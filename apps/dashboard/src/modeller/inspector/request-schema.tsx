import { ActionIcon, Button, Checkbox, NativeSelect, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { parseExact, writeExact } from '../../data/exact-json.ts';
import { Icon } from '../../look/icons.tsx';
import { findingsAt, useModelling } from '../context.tsx';
import { extensionOf, setExtension } from '../kit/edit.ts';
import { exampleOf, fieldsOf, withExample, withFields, type SchemaField } from '../kit/request-schema.ts';
import { text, type Drawn } from '../kit/types.ts';
import { AreaField, Section, TextField } from './fields.tsx';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'];

/** The Request Schema of a start event, as a list of fields and as JSON, with an example. */
export function RequestSchema({ element }: { readonly element: Drawn }) {
  const modelling = useModelling();
  const { kit } = modelling;
  const [view, setView] = useState('fields');
  const body = text(extensionOf(element.businessObject, 'kethub:RequestSchema'), 'body').trim();
  const schema = readObject(body);
  const isBroken = body !== '' && schema === null;
  const set = (next: string): void =>
    setExtension(kit, element, 'kethub:RequestSchema', next.trim() === '' ? null : { body: next });
  const setFields = (fields: readonly SchemaField[]): void => set(writeExact(withFields(schema ?? {}, fields)));
  const fields = fieldsOf(schema ?? {});
  const problem = findingsAt(modelling, element.id).find(({ isWarning }) => !isWarning)?.message;
  return (
    <>
      <Section title="Request Schema">
        <SegmentedControl
          size="xs"
          aria-label="Way to write the Request Schema"
          data={[
            { value: 'fields', label: 'Fields', disabled: isBroken },
            { value: 'json', label: 'JSON' },
          ]}
          value={isBroken ? 'json' : view}
          onChange={setView}
        />
        {view === 'json' || isBroken ? (
          <AreaField
            label="JSON Schema"
            value={body === '' ? '' : isBroken ? body : writeExact(schema)}
            onCommit={set}
            error={isBroken ? (problem ?? 'This is no JSON object.') : undefined}
          />
        ) : (
          <Fields fields={fields} onChange={setFields} />
        )}
      </Section>
      <Section title="Example input">
        <AreaField
          label="Example"
          description="Expressions are tried with it, and a rehearsal starts with it. It is kept in the Request Schema."
          value={exampleOf(schema ?? {})}
          judge={(given) =>
            given.trim() === '' || readObject(given) !== null ? null : 'An example is a JSON object: { … }.'
          }
          onCommit={(given) => set(writeExact(withExample(schema ?? {}, readObject(given) ?? undefined)))}
        />
      </Section>
    </>
  );
}

function Fields({
  fields,
  onChange,
}: {
  readonly fields: readonly SchemaField[];
  readonly onChange: (fields: readonly SchemaField[]) => void;
}) {
  const replace = (at: number, change: Partial<SchemaField>): void =>
    onChange(fields.map((one, index) => (index === at ? { ...one, ...change } : one)));
  return (
    <>
      {fields.map((field, at) => (
        <fieldset key={at} className="group schema-field">
          <legend>{field.name === '' ? 'New field' : field.name}</legend>
          <div className="schema-row">
            <TextField label="Name" value={field.name} onCommit={(name) => replace(at, { name })} />
            <NativeSelect
              size="xs"
              label="Type"
              data={[{ value: '', label: 'any' }, ...TYPES.map((type) => ({ value: type, label: type }))]}
              value={field.type}
              onChange={({ currentTarget: { value } }) => replace(at, { type: value })}
            />
          </div>
          <TextField
            label="Description"
            value={field.description}
            onCommit={(description) => replace(at, { description })}
          />
          <div className="row apart">
            <Checkbox
              size="xs"
              label="Needed"
              checked={field.required}
              onChange={({ currentTarget: { checked } }) => replace(at, { required: checked })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${field.name}`}
              onClick={() => onChange(fields.filter((_, index) => index !== at))}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </div>
        </fieldset>
      ))}
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<Icon name="plus" size={12} />}
        onClick={() =>
          onChange([
            ...fields,
            { name: `field${fields.length + 1}`, type: 'string', description: '', required: true, keywords: {} },
          ])
        }
      >
        Add a field
      </Button>
    </>
  );
}

function readObject(source: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseExact(source);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
