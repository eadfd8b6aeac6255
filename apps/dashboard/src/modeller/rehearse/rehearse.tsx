import { Button, Drawer, Textarea } from '@mantine/core';
import { useState } from 'react';
import { parseExact, writeExact } from '../../data/exact-json.ts';
import { State } from '../../look/parts.tsx';
import { Tree } from '../../viewers/tree.tsx';
import type { Happening, Rehearsed, Waiting } from '../check/protocol.ts';
import type { Modelling } from '../context.tsx';
import { InstanceDiagram } from '../instance/diagram.tsx';
import { nameOf } from '../kit/words.ts';

const NO_STEPS: Rehearsed['journal'] = [];

/** Steps through the file with made-up answers of services, by the engine of the platform. Nothing is called. */
export function Rehearse({
  xml,
  modelling,
  onClose,
}: {
  readonly xml: string;
  readonly modelling: Modelling;
  readonly onClose: () => void;
}) {
  const { checker, example } = modelling;
  const [input, setInput] = useState(() => writeExact(parseExact(example)));
  const [state, setState] = useState<Rehearsed | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const happen = (happening: Happening): void =>
    void checker.rehearse(happening).then(
      (next) => {
        setState(next);
        setFailure(null);
      },
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
  return (
    <Drawer
      opened
      onClose={onClose}
      lockScroll={false}
      position="bottom"
      size="85%"
      title="Rehearse"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className="rehearsal">
        <InstanceDiagram xml={xml} journal={state?.journal ?? NO_STEPS} until={Infinity} className="rehearsal-canvas" />
        <div className="stack rehearsal-side">
          <p className="quiet small note">
            This runs in your browser, by the code of the platform. No service is called: you say what it answers.
          </p>
          <Textarea
            label="Input"
            autosize
            minRows={2}
            maxRows={10}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={input}
            onChange={(event) => setInput(event.currentTarget.value)}
          />
          <div className="row">
            <Button size="xs" onClick={() => happen({ type: 'start', xml, input })}>
              {state === null ? 'Start' : 'Start again'}
            </Button>
            {state && <State of={state.status} />}
          </div>
          {failure !== null && (
            <p className="field-error" role="alert">
              {failure}
            </p>
          )}
          {state?.incidents.map(({ incident, elementId, message, code }) => (
            <IncidentForm
              key={incident}
              where={nameAt(modelling, elementId)}
              message={`${code}: ${message}`}
              onRetry={(variables) => happen({ type: 'retry', incident, variables })}
            />
          ))}
          {state?.waiting.map((one) => (
            <WaitingForm
              key={`${one.kind} ${one.id}`}
              waiting={one}
              where={nameAt(modelling, one.elementId)}
              service={
                modelling.services.find(({ id }) => one.kind === 'job' && id === one.serviceId)?.name ?? 'the service'
              }
              happen={happen}
            />
          ))}
          {state?.result != null && (
            <section className="panel" aria-label="Result">
              <h3>Result</h3>
              <Tree value={parseExact(state.result)} />
            </section>
          )}
          {state && state.result === null && (
            <section className="panel" aria-label="Variables">
              <h3>Variables</h3>
              <Tree value={parseExact(state.variables)} />
            </section>
          )}
        </div>
      </div>
    </Drawer>
  );
}

function nameAt({ kit }: Modelling, elementId: string): string {
  const drawn = kit.service('elementRegistry').get(elementId);
  return drawn ? nameOf(drawn.businessObject) : elementId;
}

function IncidentForm({
  where,
  message,
  onRetry,
}: {
  readonly where: string;
  readonly message: string;
  readonly onRetry: (variables: string) => void;
}) {
  const [text, setText] = useState('{}');
  return (
    <section className="panel stack" aria-label={`Incident at ${where}`}>
      <h3>Stands still at {where}</h3>
      <p className="note">{message}</p>
      <Textarea
        label="Corrected variables"
        autosize
        classNames={{ input: 'mono' }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button size="xs" onClick={() => onRetry(text)}>
        Try again
      </Button>
    </section>
  );
}

/** Something that the instance waits for, and what the author lets happen. */
function WaitingForm({
  waiting,
  where,
  service,
  happen,
}: {
  readonly waiting: Waiting;
  readonly where: string;
  readonly service: string;
  readonly happen: (happening: Happening) => void;
}) {
  const [text, setText] = useState('{}');
  const { kind, id } = waiting;
  return (
    <section className="panel stack" aria-label={`${where} waits`}>
      <h3>{where}</h3>
      {kind === 'job' && <p className="note mono small">{`calls ${service} with ${waiting.input}`}</p>}
      {kind === 'timer' && <p className="note">waits until {new Date(waiting.due).toLocaleString()}</p>}
      {(kind === 'message' || kind === 'signal') && (
        <p className="note">
          waits for the {kind} <strong>{waiting.name}</strong>
          {waiting.correlationKey !== '' && (
            <>
              {' '}
              with the key <code>{waiting.correlationKey}</code>
            </>
          )}
        </p>
      )}
      {kind === 'child' && (
        <p className="note">calls the process {waiting.processId}, which a rehearsal does not step into.</p>
      )}
      {kind !== 'timer' && kind !== 'child' && (
        <Textarea
          label={kind === 'job' ? 'Result of the service' : 'Variables that come with it'}
          autosize
          maxRows={10}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className="row">
        {kind === 'job' && (
          <>
            <Button size="xs" onClick={() => happen({ type: 'succeed', job: id, result: text })}>
              It succeeds
            </Button>
            <Button size="xs" variant="default" onClick={() => happen({ type: 'fail', job: id, response: text })}>
              It fails
            </Button>
          </>
        )}
        {kind === 'timer' && (
          <Button size="xs" onClick={() => happen({ type: 'due', timer: id })}>
            Let it be due
          </Button>
        )}
        {(kind === 'message' || kind === 'signal') && (
          <Button size="xs" onClick={() => happen({ type: 'receive', kind, subscription: id, variables: text })}>
            It comes
          </Button>
        )}
      </div>
    </section>
  );
}
