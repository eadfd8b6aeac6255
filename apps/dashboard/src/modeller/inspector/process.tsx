import { Checkbox } from '@mantine/core';
import { useModelling } from '../context.tsx';
import { setProperties } from '../kit/edit.ts';
import { is, type Drawn } from '../kit/types.ts';
import { Section, TextField } from './fields.tsx';

const ID = /^[A-Za-z_][\w.-]*$/;

/** Properties of the process as a whole. */
export function ProcessForm({ element }: { readonly element: Drawn }) {
  const { kit } = useModelling();
  const { businessObject } = element;
  if (!is(businessObject, 'bpmn:Process'))
    return <p className="quiet small note">Select a pool to change the process in it.</p>;
  return (
    <Section title="Process">
      <TextField
        label="Id"
        value={businessObject.id ?? ''}
        onCommit={(id) => ID.test(id) && setProperties(kit, element, { id })}
      />
      <Checkbox
        size="xs"
        label="It can be run"
        checked={businessObject['isExecutable'] === true}
        onChange={({ currentTarget: { checked } }) => setProperties(kit, element, { isExecutable: checked })}
      />
    </Section>
  );
}
