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
import { together } from '../kit/together.ts';
import { child, definitionOf, is, text, type Drawn, type Moddle } from '../kit/types.ts';
import { FeelField } from './feel-field.tsx';
import { Section, TextField } from './fields.tsx';
import { Mappings } from './mappings.tsx';
import { RequestSchema } from './request-schema.tsx';

/** Everything about an event: what it waits for or throws, and what it passes on. */
export function EventForm({ element }: { readonly element: Drawn }) {
  const { businessObject } = element;
  const definition = definitionOf(businessObject);
  const kind = definition?.$type.replace('bpmn:', '').replace('EventDefinition', '') ?? '';
  const catches = !is(businessObject, 'bpmn:ThrowEvent');
  const { inputs, outputs } = mappingsAt(businessObject);
  const sends = kind === 'Message' || kind === 'Signal';
  const isEnd = businessObject.$type === 'bpmn:EndEvent';
  return (
    <>
      {kind === '' && businessObject.$type === 'bpmn:StartEvent' && is(parentOf(businessObject), 'bpmn:Process') && (
        <RequestSchema element={element} />
      )}
      {kind === 'Timer' && definition && <Timer element={element} definition={definition} />}
      {kind === 'Message' && definition && <Message element={element} definition={definition} throws={!catches} />}
      {kind === 'Signal' && definition && (
        <Named
          element={element}
          definition={definition}
          title="Signal"
          reference="signalRef"
          label="Name of the signal"
        />
      )}
      {kind === 'Escalation' && definition && (
        <Named element={element} definition={definition} title="Escalation" reference="escalationRef" label="Code" />
      )}
      {kind === 'Error' && definition && <ErrorEvent element={element} definition={definition} catches={catches} />}
      {kind === 'Link' && definition && <LinkEvent element={element} definition={definition} />}
      <Interrupting element={element} kind={kind} />
      {inputs && (
        <Mappings
          element={element}
          side="input"
          title={sends ? 'Variables that it takes along' : 'Input'}
          addLabel={sends ? 'Add a variable' : 'Add an input'}
        />
      )}
      {outputs && isEnd && (
        <Mappings
          element={element}
          side="output"
          title="Result"
          note="Every variable is a field of the result."
          addLabel="Add a field of the result"
        />
      )}
      {outputs && !isEnd && (
        <Mappings element={element} side="output" title="Output" addLabel="Add an output" valued={false} />
      )}
    </>
  );
}

function parentOf({ $parent }: Moddle): Moddle | undefined {
  return $parent;
}

const TIMES = [
  { value: 'timeDate', label: 'at a date', example: '2030-01-31T12:00:00Z' },
  { value: 'timeDuration', label: 'after a duration', example: 'PT15M' },
  { value: 'timeCycle', label: 'in a cycle', example: 'R3/PT1H' },
] as const;

/** The ways to say when a timer is due that the platform takes at an event. A way that the file has stays shown. */
function timesAt(event: Moddle, definition: Moddle): readonly (typeof TIMES)[number][] {
  const { $type } = event;
  const isStart = $type === 'bpmn:StartEvent' && is(parentOf(event), 'bpmn:Process');
  const mayRepeat =
    isStart ||
    ($type === 'bpmn:StartEvent' && event['isInterrupting'] === false) ||
    ($type === 'bpmn:BoundaryEvent' && event['cancelActivity'] === false);
  return TIMES.filter(
    ({ value }) =>
      child(definition, value) !== null ||
      value === 'timeDate' ||
      (value === 'timeDuration' && !isStart) ||
      (value === 'timeCycle' && mayRepeat),
  );
}

function Timer({ element, definition }: { readonly element: Drawn; readonly definition: Moddle }) {
  const { kit, checked } = useModelling();
  const times = timesAt(element.businessObject, definition);
  const present =
    TIMES.find(({ value }) => child(definition, value) !== null) ??
    times.find(({ value }) => value === 'timeDuration') ??
    TIMES[0];
  const { due = [], isStart = false } = checked?.times[element.id] ?? {};
  const set = (name: string, body: string): void =>
    together(kit, () => {
      for (const { value } of TIMES)
        if (value !== name && child(definition, value) !== null)
          setValues(kit, element, definition, { [value]: undefined });
      setExpression(kit, element, definition, name, body);
    });
  return (
    <Section title="Timer">
      <NativeSelect
        size="xs"
        label="When"
        data={times.map(({ value, label }) => ({ value, label }))}
        value={present.value}
        onChange={({ currentTarget: { value } }) => set(value, TIMES.find((one) => one.value === value)?.example ?? '')}
      />
      <FeelField
        label="Time"
        description={`ISO 8601, such as ${present.example}, or an expression after =.`}
        elementId={element.id}
        value={expressionOf(definition, present.value)}
        onCommit={(body) => set(present.value, body)}
      />
      {due.length > 0 && (
        <p className="small note">
          {isStart ? 'Next: ' : 'If it is reached now: '}
          {due.map((time) => new Date(time).toLocaleString()).join(' · ')}
        </p>
      )}
    </Section>
  );
}

function Message({
  element,
  definition,
  throws,
}: {
  readonly element: Drawn;
  readonly definition: Moddle;
  readonly throws: boolean;
}) {
  const { kit } = useModelling();
  const publish = extensionOf(element.businessObject, 'kethub:Publish');
  return (
    <Section title="Message">
      <TextField
        label="Name of the message"
        required
        value={referenceOf(definition, 'messageRef')}
        onCommit={(name) => setReference(kit, element, definition, 'messageRef', name)}
      />
      {throws ? (
        <>
          <FeelField
            label="Correlation key"
            elementId={element.id}
            value={text(publish, 'correlationKey')}
            onCommit={(correlationKey) =>
              setExtension(kit, element, 'kethub:Publish', { correlationKey: correlationKey || undefined })
            }
          />
          <TextField
            label="Time to live"
            placeholder="PT1H"
            value={text(publish, 'timeToLive')}
            onCommit={(timeToLive) =>
              setExtension(kit, element, 'kethub:Publish', { timeToLive: timeToLive || undefined })
            }
          />
        </>
      ) : (
        <CorrelationKey element={element} message={child(definition, 'messageRef')} />
      )}
    </Section>
  );
}

/** The expression that says for which instance a message is. It belongs to the message, not to the event. */
export function CorrelationKey({ element, message }: { readonly element: Drawn; readonly message: Moddle | null }) {
  const { kit } = useModelling();
  const isStart =
    element.businessObject.$type === 'bpmn:StartEvent' && is(element.businessObject.$parent, 'bpmn:Process');
  if (message === null || isStart) return null;
  return (
    <FeelField
      label="Correlation key"
      description="A message of this name and this key is meant."
      required
      elementId={element.id}
      value={text(extensionOf(message, 'zeebe:Subscription'), 'correlationKey')}
      onCommit={(correlationKey) => setExtension(kit, element, 'zeebe:Subscription', { correlationKey }, message)}
    />
  );
}

function Named({
  element,
  definition,
  title,
  reference,
  label,
}: {
  readonly element: Drawn;
  readonly definition: Moddle;
  readonly title: string;
  readonly reference: 'signalRef' | 'escalationRef';
  readonly label: string;
}) {
  const { kit } = useModelling();
  return (
    <Section title={title}>
      <TextField
        label={label}
        value={referenceOf(definition, reference)}
        onCommit={(name) => setReference(kit, element, definition, reference, name)}
      />
    </Section>
  );
}

function LinkEvent({ element, definition }: { readonly element: Drawn; readonly definition: Moddle }) {
  const { kit } = useModelling();
  return (
    <Section title="Link">
      <TextField
        label="Name of the link"
        required
        description="The event that throws and the one that catches have the same name, in the same process or sub-process."
        value={text(definition, 'name')}
        onCommit={(name) => setValues(kit, element, definition, { name: name || undefined })}
      />
    </Section>
  );
}

function ErrorEvent({
  element,
  definition,
  catches,
}: {
  readonly element: Drawn;
  readonly definition: Moddle;
  readonly catches: boolean;
}) {
  const { kit } = useModelling();
  const { businessObject } = element;
  const host = (child(businessObject, 'attachedToRef') ?? businessObject.$parent)?.id ?? '';
  return (
    <Section title="Error">
      <TextField
        label="Code"
        required={!catches}
        description={catches ? 'SERVICE_FAILED when a service has failed. Empty: every error.' : undefined}
        value={referenceOf(definition, 'errorRef')}
        onCommit={(code) => setReference(kit, element, definition, 'errorRef', code)}
      />
      {catches ? (
        <TextField
          label="Payload variable"
          description="Takes the error: its code, message and answer."
          placeholder={`${host}_serviceError`}
          value={text(extensionOf(businessObject, 'kethub:Payload'), 'variable')}
          onCommit={(variable) => setExtension(kit, element, 'kethub:Payload', variable === '' ? null : { variable })}
        />
      ) : (
        <FeelField
          label="Message"
          elementId={element.id}
          value={text(extensionOf(businessObject, 'kethub:ErrorMessage'), 'expression')}
          onCommit={(expression) =>
            setExtension(kit, element, 'kethub:ErrorMessage', expression === '' ? null : { expression })
          }
        />
      )}
    </Section>
  );
}

/** Returns whether an event on the border or in an event sub-process ends what it is attached to. Errors always do. */
function Interrupting({ element, kind }: { readonly element: Drawn; readonly kind: string }) {
  const { kit } = useModelling();
  const { businessObject } = element;
  const isBoundary = businessObject.$type === 'bpmn:BoundaryEvent';
  const isInside = businessObject.$type === 'bpmn:StartEvent' && businessObject.$parent?.['triggeredByEvent'] === true;
  if ((!isBoundary && !isInside) || kind === 'Error') return null;
  const name = isBoundary ? 'cancelActivity' : 'isInterrupting';
  return (
    <Section title="Effect">
      <Checkbox
        size="xs"
        label={isBoundary ? 'Ends what it is attached to' : 'Ends what else is in the scope'}
        checked={businessObject[name] !== false}
        onChange={({ currentTarget: { checked } }) => setProperties(kit, element, { [name]: checked })}
      />
    </Section>
  );
}
