import { Checkbox, NativeSelect } from '@mantine/core';
import { useModelling } from '../context.tsx';
import {
  expressionOf,
  extensionOf,
  referenceOf,
  setExpression,
  setExtension,
  setProperties,
  setReference,
  setValues,
} from '../kit/edit.ts';
import { mappingsAt } from '../kit/mappings-at.ts';
import { child, is, text, type Drawn } from '../kit/types.ts';
import { nameOf } from '../kit/words.ts';
import { CorrelationKey } from './events.tsx';
import { FeelField } from './feel-field.tsx';
import { Section, TextField } from './fields.tsx';
import { Mappings } from './mappings.tsx';
import { ServiceTask } from './service-task.tsx';

/** Everything about a task, a call activity or a sub-process. */
export function ActivityForm({ element }: { readonly element: Drawn }) {
  const { businessObject } = element;
  const isService = businessObject.$type === 'bpmn:ServiceTask';
  return (
    <>
      {isService && <ServiceTask element={element} />}
      {businessObject.$type === 'bpmn:ScriptTask' && <Script element={element} />}
      {businessObject.$type === 'bpmn:ReceiveTask' && <Receive element={element} />}
      {businessObject.$type === 'bpmn:CallActivity' && <Call element={element} />}
      {!isService && mappingsAt(businessObject).inputs && (
        <>
          <Mappings element={element} side="input" title="Input" addLabel="Add an input" />
          <Mappings element={element} side="output" title="Output" addLabel="Add an output" valued={false} />
        </>
      )}
      {businessObject['triggeredByEvent'] !== true && <Loop element={element} />}
    </>
  );
}

function Script({ element }: { readonly element: Drawn }) {
  const { kit } = useModelling();
  const script = extensionOf(element.businessObject, 'zeebe:Script');
  return (
    <Section title="Script">
      <FeelField
        label="Expression"
        required
        elementId={element.id}
        value={text(script, 'expression')}
        onCommit={(expression) => setExtension(kit, element, 'zeebe:Script', { expression })}
      />
      <TextField
        label="Variable that takes its value"
        required
        value={text(script, 'resultVariable')}
        onCommit={(resultVariable) => setExtension(kit, element, 'zeebe:Script', { resultVariable })}
      />
    </Section>
  );
}

function Receive({ element }: { readonly element: Drawn }) {
  const { kit } = useModelling();
  const { businessObject } = element;
  return (
    <Section title="Message">
      <TextField
        label="Name of the message"
        required
        value={referenceOf(businessObject, 'messageRef')}
        onCommit={(name) => setReference(kit, element, businessObject, 'messageRef', name)}
      />
      <CorrelationKey element={element} message={child(businessObject, 'messageRef')} />
    </Section>
  );
}

function Call({ element }: { readonly element: Drawn }) {
  const { kit } = useModelling();
  const called = extensionOf(element.businessObject, 'zeebe:CalledElement');
  const flag = (name: string): boolean => called?.[name] !== false;
  const set = (values: Readonly<Record<string, unknown>>): void =>
    setExtension(kit, element, 'zeebe:CalledElement', values);
  return (
    <Section title="Called process">
      <FeelField
        label="Process"
        required
        description="Id of a process of this file, or of a workflow service; @1.0.0 behind it for a version."
        elementId={element.id}
        value={text(called, 'processId')}
        onCommit={(processId) => set({ processId })}
      />
      <Checkbox
        size="xs"
        label="It gets all variables"
        checked={flag('propagateAllParentVariables')}
        onChange={({ currentTarget: { checked } }) => set({ propagateAllParentVariables: checked })}
      />
      <Checkbox
        size="xs"
        label="All its variables come back"
        checked={flag('propagateAllChildVariables')}
        onChange={({ currentTarget: { checked } }) => set({ propagateAllChildVariables: checked })}
      />
    </Section>
  );
}

/** The multi-instance loop of an activity. */
function Loop({ element }: { readonly element: Drawn }) {
  const { kit } = useModelling();
  const loop = child(element.businessObject, 'loopCharacteristics');
  const zeebe = loop === null ? null : extensionOf(loop, 'zeebe:LoopCharacteristics');
  const isLoop = loop?.$type === 'bpmn:MultiInstanceLoopCharacteristics';
  const way = !isLoop ? '' : loop['isSequential'] === true ? 'sequential' : 'parallel';
  const set = (values: Readonly<Record<string, unknown>>): void =>
    loop === null ? undefined : setExtension(kit, element, 'zeebe:LoopCharacteristics', values, loop);
  const choose = (next: string): void => {
    if (next === '') return setProperties(kit, element, { loopCharacteristics: undefined });
    if (isLoop) return setValues(kit, element, loop, { isSequential: next === 'sequential' });
    const factory = kit.service('bpmnFactory');
    const inner = factory.create('zeebe:LoopCharacteristics', { inputCollection: '=', inputElement: 'item' });
    const extensionElements = factory.create('bpmn:ExtensionElements', { values: [inner] });
    const made = factory.create('bpmn:MultiInstanceLoopCharacteristics', {
      isSequential: next === 'sequential',
      extensionElements,
    });
    for (const [part, parent] of [
      [inner, extensionElements],
      [extensionElements, made],
      [made, element.businessObject],
    ] as const)
      (part as { $parent?: unknown }).$parent = parent;
    setProperties(kit, element, { loopCharacteristics: made });
  };
  return (
    <Section title="Loop">
      <NativeSelect
        size="xs"
        label="For each item of a list"
        data={[
          { value: '', label: 'no, once' },
          { value: 'parallel', label: 'all at a time' },
          { value: 'sequential', label: 'one after the other' },
        ]}
        value={way}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      {isLoop && (
        <>
          <FeelField
            label="List"
            required
            elementId={element.id}
            value={text(zeebe, 'inputCollection')}
            onCommit={(inputCollection) => set({ inputCollection })}
          />
          <TextField
            label="Variable of the item"
            value={text(zeebe, 'inputElement')}
            onCommit={(inputElement) => set({ inputElement: inputElement || undefined })}
          />
          <FeelField
            label="Value to collect"
            elementId={element.id}
            valued={false}
            value={text(zeebe, 'outputElement')}
            onCommit={(outputElement) => set({ outputElement: outputElement || undefined })}
          />
          <TextField
            label="Variable that collects"
            value={text(zeebe, 'outputCollection')}
            onCommit={(outputCollection) => set({ outputCollection: outputCollection || undefined })}
          />
          <FeelField
            label="Ends as soon as"
            elementId={element.id}
            valued={false}
            value={expressionOf(loop, 'completionCondition')}
            onCommit={(body) => setExpression(kit, element, loop, 'completionCondition', body)}
          />
        </>
      )}
    </Section>
  );
}

/** The condition of a flow, where its gateway asks for one. */
export function FlowForm({ element }: { readonly element: Drawn }) {
  const { kit } = useModelling();
  const { businessObject } = element;
  const source = child(businessObject, 'sourceRef');
  const asks = is(source ?? undefined, 'bpmn:ExclusiveGateway') || is(source ?? undefined, 'bpmn:InclusiveGateway');
  if (!asks || source === null) return <p className="quiet small note">A flow from here is always taken.</p>;
  const isDefault = child(source, 'default') === businessObject;
  const gateway = kit.service('elementRegistry').get(source.id ?? '');
  return (
    <Section title="Condition">
      <Checkbox
        size="xs"
        label="Default: taken when no other condition is true"
        checked={isDefault}
        onChange={({ currentTarget: { checked } }) =>
          gateway && setProperties(kit, gateway, { default: checked ? businessObject : undefined })
        }
      />
      {!isDefault && (
        <FeelField
          label="Taken when"
          required
          elementId={element.id}
          value={expressionOf(businessObject, 'conditionExpression')}
          onCommit={(body) => setExpression(kit, element, businessObject, 'conditionExpression', body)}
        />
      )}
    </Section>
  );
}

/** The flows that leave an element, in the order in which they are tried. Each can be selected, and then deleted. */
export function Paths({ element }: { readonly element: Drawn }) {
  const { select } = useModelling();
  const outgoing = element.outgoing.filter(({ businessObject }) => is(businessObject, 'bpmn:SequenceFlow'));
  const chosen = child(element.businessObject, 'default');
  if (outgoing.length === 0) return null;
  return (
    <Section title="Paths from here">
      {outgoing.map((drawn) => {
        const { businessObject: flow } = drawn;
        const target = child(flow, 'targetRef');
        const condition = expressionOf(flow, 'conditionExpression');
        const to = target === null ? '' : `to ${nameOf(target)}`;
        return (
          <button key={flow.id} type="button" className="path" onClick={() => select(drawn)}>
            <span>{text(flow, 'name') === '' ? to : `${nameOf(flow)}, ${to}`}</span>
            <span className="mono quiet">{flow === chosen ? 'default' : condition}</span>
          </button>
        );
      })}
    </Section>
  );
}
