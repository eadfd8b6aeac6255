import { useEffect, useState } from 'react';
import { LongText } from '../../look/long-text.tsx';
import { findingsAt, useModelling } from '../context.tsx';
import { setProperties } from '../kit/edit.ts';
import { LONGEST_NAME, shortened, titleOf, typeInWords } from '../kit/words.ts';
import { is, text, type Drawn } from '../kit/types.ts';
import { TextField } from './fields.tsx';
import { ProcessForm } from './process.tsx';

/** Forms of elements. They are loaded beside the page and not with it, because together they are large. */
const loadForms = async () => ({ ...(await import('./activities.tsx')), ...(await import('./events.tsx')) });
type Forms = Awaited<ReturnType<typeof loadForms>>;
let loaded: Forms | null = null;

/** The form of the selected element; of the process where none is selected. */
export function Inspector() {
  const modelling = useModelling();
  const { kit, selected, root } = modelling;
  const element = selected ?? root;
  const [forms, setForms] = useState(loaded);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const keep = (found: Forms): void => setForms((loaded = found));
    if (loaded === null) loadForms().then(keep, () => setMissing(true));
  }, []);
  const findings = findingsAt(modelling, element.businessObject.id ?? '');
  const isProcess = ['bpmn:Process', 'bpmn:Collaboration', 'bpmn:Participant'].some((type) =>
    is(element.businessObject, type),
  );
  return (
    <div className="inspector" key={element.id}>
      <header className="inspector-head">
        <p className="quiet small">{typeInWords(element.businessObject)}</p>
        <h2>{titleOf(element.businessObject)}</h2>
        <p className="mono quiet small unspaced">{shortened(element.businessObject.id ?? '', LONGEST_NAME)}</p>
        {findings.map(({ message, isWarning }, at) => (
          <p key={at} className={isWarning ? 'finding warning' : 'finding'} role="note">
            <LongText>{message}</LongText>
          </p>
        ))}
      </header>
      <section className="inspector-section" aria-label="General">
        <TextField
          label="Name"
          value={text(element.businessObject, 'name')}
          onCommit={(name) => setProperties(kit, element, { name: name || undefined })}
        />
      </section>
      {isProcess && <ProcessForm element={element} />}
      {!isProcess && forms === null && (
        <p className="quiet" role="status">
          {isMissing ? 'The form of this element was not loaded. Save, then reload the page.' : 'Loading…'}
        </p>
      )}
      {!isProcess && forms !== null && <ElementForm element={element} forms={forms} />}
    </div>
  );
}

function ElementForm({ element, forms }: { readonly element: Drawn; readonly forms: Forms }) {
  const { Paths } = forms;
  return (
    <>
      <OwnForm element={element} forms={forms} />
      <Paths element={element} />
    </>
  );
}

function OwnForm({
  element,
  forms: { ActivityForm, EventForm, FlowForm },
}: {
  readonly element: Drawn;
  readonly forms: Forms;
}) {
  const { businessObject } = element;
  if (is(businessObject, 'bpmn:Event')) return <EventForm element={element} />;
  if (is(businessObject, 'bpmn:Activity')) return <ActivityForm element={element} />;
  if (is(businessObject, 'bpmn:SequenceFlow')) return <FlowForm element={element} />;
  if (is(businessObject, 'bpmn:Gateway')) return null;
  return <p className="quiet small note">This has no effect when the workflow runs.</p>;
}
