import { ActionIcon, Button } from '@mantine/core';
import { Icon } from '../../look/icons.tsx';
import { useModelling } from '../context.tsx';
import { mappingsOf, setMappings, type Mapping } from '../kit/edit.ts';
import type { Drawn } from '../kit/types.ts';
import { FeelField } from './feel-field.tsx';
import { Section, TextField } from './fields.tsx';

interface Props {
  readonly element: Drawn;
  readonly side: 'input' | 'output';
  readonly title: string;
  readonly note?: string;
  /** Targets that have a field of their own elsewhere. */
  readonly without?: ReadonlySet<string>;
  readonly addLabel: string;
  /** True if the values are known for the example input. */
  readonly valued?: boolean;
}

/** Mappings of an element as a list of variables with their expressions. */
export function Mappings({ element, side, title, note, without, addLabel, valued = true }: Props) {
  const { kit } = useModelling();
  const mappings = mappingsOf(element.businessObject, side);
  const change = (next: readonly Mapping[]): void => setMappings(kit, element, side, next);
  const replace = (at: number, mapping: Mapping): void =>
    change(mappings.map((one, index) => (index === at ? mapping : one)));
  return (
    <Section title={title}>
      {note !== undefined && <p className="quiet small note">{note}</p>}
      {mappings.map((mapping, at) =>
        without?.has(mapping.target) ? null : (
          <div key={at} className="mapping">
            <TextField
              label="Variable"
              value={mapping.target}
              onCommit={(target) => replace(at, { ...mapping, target })}
            />
            <FeelField
              label={`Value of ${mapping.target === '' ? 'the variable' : mapping.target}`}
              elementId={element.id}
              value={mapping.source}
              valued={valued}
              side={side}
              onCommit={(source) => replace(at, { ...mapping, source })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${mapping.target}`}
              onClick={() => change(mappings.filter((_, index) => index !== at))}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </div>
        ),
      )}
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<Icon name="plus" size={12} />}
        onClick={() => change([...mappings, { source: '=', target: freeName(mappings) }])}
      >
        {addLabel}
      </Button>
    </Section>
  );
}

function freeName(mappings: readonly Mapping[]): string {
  const taken = new Set(mappings.map(({ target }) => target));
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'value' : `value${number}`;
    if (!taken.has(name)) return name;
  }
}
