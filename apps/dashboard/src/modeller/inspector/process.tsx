import { Checkbox } from '@mantine/core';
import { useModelling } from '../context.tsx';
import { setProperties, setValues } from '../kit/edit.ts';
import { child, is, type Drawn } from '../kit/types.ts';
import { Section, TextField } from './fields.tsx';

const ID = /^[A-Za-z_][\w.-]*$/;

/** Properties of a process as a whole: the one that is drawn, or that of a pool. */
export function ProcessForm({ element }: { readonly element: Drawn }) {
  const { kit } = useModelling();
  const { businessObject } = element;
  const process = is(businessObject, 'bpmn:Participant') ? child(businessObject, 'processRef') : businessObject;
  if (process === null) return <p className="quiet small note">This pool has no process: nothing of it is run.</p>;
  if (!is(process, 'bpmn:Process'))
    return <p className="quiet small note">Select a pool to change the process in it.</p>;
  // The canvas knows the process that it shows as a whole by its id.
  const set = (values: Readonly<Record<string, unknown>>): void =>
    process === businessObject ? setProperties(kit, element, values) : setValues(kit, element, process, values);
  return (
    <Section title="Process">
      <TextField
        label="Id"
        value={process.id ?? ''}
        judge={(id) => (ID.test(id) ? null : 'An id has letters, digits, _, - and ., and begins with a letter or _.')}
        onCommit={(id) => set({ id })}
      />
      <Checkbox
        size="xs"
        label="It can be run"
        checked={process['isExecutable'] === true}
        onChange={({ currentTarget: { checked } }) => set({ isExecutable: checked })}
      />
    </Section>
  );
}
