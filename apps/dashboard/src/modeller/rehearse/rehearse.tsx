import { Button, Drawer, NativeSelect, Textarea } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { parseExact, writeExact } from '../../data/exact-json.ts';
import { instancesQuery } from '../../data/workflow-queries.ts';
import { LongText } from '../../look/long-text.tsx';
import { State } from '../../look/parts.tsx';
import { isFocusLost, returnFocus } from '../../look/return-focus.ts';
import { Problem } from '../../shell/problem.tsx';
import { Tree } from '../../viewers/tree.tsx';
import type { Rehearsed } from '../check/protocol.ts';
import { everyService, type Modelling } from '../context.tsx';
import { InstanceDiagram } from '../instance/diagram.tsx';
import { wholesOf } from '../kit/every-process.ts';
import { is } from '../kit/types.ts';
import { titleAt, titleOf } from '../kit/words.ts';
import { recordedFor } from './answers.ts';
import { History } from './history.tsx';
import { IncidentForm } from './incident.tsx';
import { useRecord } from './use-record.ts';
import { useRehearsal } from './use-rehearsal.ts';
import { WaitingForm } from './waiting.tsx';

/** Names of elements that the state in words has. */
const MOST_NAMES = 5;
const NO_STEPS: Rehearsed['journal'] = [];

/** Steps through the file by the engine of the platform, with answers that are made up, recorded or real. */
export default function Rehearse({
  xml,
  serviceId,
  modelling,
  onClose,
}: {
  readonly xml: string;
  readonly serviceId: string;
  readonly modelling: Modelling;
  readonly onClose: () => void;
}) {
  const acting = useActing();
  const [input, setInput] = useState(() => writeExact(parseExact(modelling.example)));
  const [until, setUntil] = useState(Infinity);
  const [processId, setProcessId] = useState<string | null>(null);
  const { state, failure, start, happen, goOn } = useRehearsal(modelling.checker, xml);
  const record = useRecord(acting, modelling.checker);
  const known = record.data ?? null;
  const nameAt = (elementId: string): string => titleAt(modelling.kit, elementId);
  const processes = wholesOf(modelling.kit).filter(({ businessObject }) => is(businessObject, 'bpmn:Process'));
  const side = useRef<HTMLDivElement>(null);
  // The button that was pressed may be gone with its form.
  useEffect(() => {
    if (state && isFocusLost()) side.current?.focus();
  }, [state]);
  const show = (elementId: string | null): void => {
    if (elementId === null) return;
    document.querySelector(`[data-waits="${CSS.escape(elementId)}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    // A screen reader would read the whole body of a plain Drawer when it opens.
    <Drawer.Root opened onClose={onClose} lockScroll={false} position="bottom" size="92%">
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Header>
          <Drawer.Title>Rehearse</Drawer.Title>
          <Drawer.CloseButton aria-label="Close" ref={returnFocus} />
        </Drawer.Header>
        <div className="rehearsal">
          <div className="rehearsal-main">
            {processes.length > 1 && (
              <NativeSelect
                size="xs"
                label="Process in the diagram"
                data={processes.map(({ id, businessObject }) => ({ value: id, label: titleOf(businessObject) }))}
                value={processId ?? processes[0]?.id ?? ''}
                onChange={({ currentTarget: { value } }) => setProcessId(value)}
              />
            )}
            <InstanceDiagram
              xml={xml}
              journal={state?.journal ?? NO_STEPS}
              until={until}
              processId={processId}
              onSelect={show}
              className="rehearsal-canvas"
            />
            {state && (
              <History
                state={state}
                until={until}
                onUntil={setUntil}
                nameAt={nameAt}
                onMove={(type) => {
                  setUntil(Infinity);
                  void happen({ type });
                }}
              />
            )}
          </div>
          <div className="stack rehearsal-side" ref={side} tabIndex={-1} role="group" aria-label="Steps">
            <p className="sr-only" role="status" aria-label="State">
              {state === null ? '' : stateInWords(state, nameAt)}
            </p>
            <p className="quiet small note">
              This runs in your browser, by the code of the platform. No service is called unless you ask for it.
            </p>
            <Answers serviceId={serviceId} record={record} onInput={setInput} />
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
              <Button
                size="xs"
                onClick={() => {
                  setUntil(Infinity);
                  void start(input);
                }}
              >
                {state === null ? 'Start' : 'Start again'}
              </Button>
              {state?.waiting.some((one) => recordedFor(known, one) !== null) && (
                <Button size="xs" variant="default" onClick={() => void goOn(state, known)}>
                  Go on as recorded
                </Button>
              )}
              {state && <State of={state.incidents.length > 0 ? 'INCIDENT' : state.status} />}
            </div>
            {failure !== null && (
              <p className="field-error kept" role="alert">
                <LongText>{failure}</LongText>
              </p>
            )}
            {state?.incidents.map((incident) => (
              <IncidentForm
                key={`${incident.key} ${state.steps}`}
                incident={incident}
                where={nameAt(incident.elementId)}
                onRetry={(variables) => void happen({ type: 'retry', key: incident.key, variables })}
              />
            ))}
            {state?.waiting.map((one) => (
              <WaitingForm
                key={one.key}
                waiting={one}
                where={nameAt(one.elementId)}
                service={everyService(modelling).find(({ id }) => one.kind === 'job' && id === one.serviceId)}
                record={known}
                input={input}
                happen={(happening) => void happen(happening)}
              />
            ))}
            {state?.result != null && (
              <section className="panel" aria-label="Result">
                <h3>Result</h3>
                <Tree value={parseExact(state.result)} />
              </section>
            )}
            {state && <Variables state={state} nameAt={nameAt} />}
          </div>
        </div>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** The state of a rehearsal, for those who do not see it. */
function stateInWords({ incidents, waiting, steps, result }: Rehearsed, nameAt: (elementId: string) => string): string {
  const names = (all: readonly { readonly elementId: string }[]): string =>
    [...new Set(all.map(({ elementId }) => nameAt(elementId)))].slice(0, MOST_NAMES).join(', ');
  const parts = [
    incidents.length > 0 ? `stands still at ${names(incidents)}` : '',
    waiting.length > 0 ? `waits at ${names(waiting)}` : '',
  ].filter((part) => part !== '');
  const where = parts.length > 0 ? parts.join('; ') : result === null ? 'nothing is active' : 'it has ended';
  return `After step ${steps}: ${where}.`;
}

/** The choice of a real instance, whose answers and input are taken. */
function Answers({
  serviceId,
  record,
  onInput,
}: {
  readonly serviceId: string;
  readonly record: ReturnType<typeof useRecord>;
  readonly onInput: (input: string) => void;
}) {
  const instances = useInfiniteQuery(instancesQuery(useActing(), serviceId));
  const rows = (instances.data?.pages.flat() ?? []).filter(({ parentId }) => parentId === null);
  if (rows.length === 0) return null;
  const input = record.data?.input ?? null;
  return (
    <>
      <NativeSelect
        size="xs"
        label="Answers"
        description="Your own, or those that a real instance has got at the same elements."
        value={record.variables ?? ''}
        data={[
          { value: '', label: 'I make them up' },
          ...rows.map(({ id, createdAt, phase }) => ({
            value: id,
            label: `as in ${createdAt} (${phase.toLowerCase()})`,
          })),
        ]}
        onChange={({ currentTarget: { value } }) => (value === '' ? record.reset() : record.mutate(value))}
      />
      {record.error && <Problem error={record.error} />}
      {input !== null && (
        <Button size="compact-xs" variant="default" onClick={() => onInput(writeExact(parseExact(input)))}>
          Take its input too
        </Button>
      )}
    </>
  );
}

/** Variables of each scope: the process, and the elements in it that have some of their own. */
function Variables({ state, nameAt }: { readonly state: Rehearsed; readonly nameAt: (elementId: string) => string }) {
  const scopes = state.scopes.filter(({ variables }) => variables !== '{}');
  if (scopes.length === 0) return null;
  return (
    <section className="panel stack" aria-label="Variables">
      <h3>Variables</h3>
      {scopes.map(({ key, elementId, round, variables }) => (
        <div key={key}>
          <p className="quiet small note">
            {nameAt(elementId)}
            {round !== null && `, round ${round}`}
          </p>
          <Tree value={parseExact(variables)} />
        </div>
      ))}
    </section>
  );
}
