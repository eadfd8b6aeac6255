import { ActionIcon, Button, TextInput } from '@mantine/core';
import { Icon } from '../../look/icons.tsx';
import type { Variable } from './configuration.ts';

/** The environment variables of a version: names and values, one pair a row. */
export function EnvironmentForm({
  variables,
  complaints,
  onChange,
}: {
  readonly variables: readonly Variable[];
  readonly complaints: ReadonlyMap<string, string>;
  readonly onChange: (variables: readonly Variable[]) => void;
}) {
  const change = (at: number, changed: Partial<Variable>): void =>
    onChange(variables.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  return (
    <fieldset className="group">
      <legend>Environment variables</legend>
      <p className="quiet small" style={{ margin: '0 0 8px' }}>
        The code reads them as usual. They are no place for secrets: everybody who sees the service sees them.
      </p>
      <div className="stack" style={{ gap: 8 }}>
        {variables.map(({ name, value }, index) => (
          // A row has no other identity than its place.
          // eslint-disable-next-line react/no-array-index-key
          <div key={index} className="pair">
            <TextInput
              aria-label={`Name of variable ${index + 1}`}
              placeholder="NAME"
              value={name}
              error={complaints.get(`/environment/${name}`)}
              onChange={(event) => change(index, { name: event.currentTarget.value })}
            />
            <TextInput
              aria-label={`Value of variable ${index + 1}`}
              placeholder="value"
              value={value}
              onChange={(event) => change(index, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="default"
              size={36}
              aria-label={`Remove variable ${index + 1}`}
              onClick={() => onChange(variables.filter((_, other) => other !== index))}
            >
              <Icon name="close" size={15} />
            </ActionIcon>
          </div>
        ))}
        {complaints.has('/environment') && (
          <p className="field-error" role="alert">
            {complaints.get('/environment')}
          </p>
        )}
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => onChange([...variables, { name: '', value: '' }])}
          >
            Add a variable
          </Button>
        </div>
      </div>
    </fieldset>
  );
}
