import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { executionsQuery } from '../../data/queries.ts';
import { LongText } from '../../look/long-text.tsx';
import { Problem } from '../../shell/problem.tsx';
import type { Happening, InstanceRecord, Recorded, Waiting } from '../check/protocol.ts';
import type { CallableService } from '../kit/services.ts';
import { LONGEST_NAME, shortened } from '../kit/words.ts';
import { happeningOf, recordedFor } from './answers.ts';
import { callForReal, resultOf } from './real-call.ts';

/** Characters of a text that a field shows; a browser lays out longer ones for many seconds. */
const LONGEST_SHOWN = 200_000;

interface Props {
  readonly waiting: Waiting;
  readonly where: string;
  readonly service: CallableService | undefined;
  readonly record: InstanceRecord | null;
  /** Input of the rehearsal, with the secrets for real calls. */
  readonly input: string;
  readonly happen: (happening: Happening) => void;
}

/** Something that the instance waits for, and what the author lets happen. */
export function WaitingForm(props: Props) {
  const { waiting, where, service, record, happen } = props;
  const known = recordedFor(record, waiting);
  const [text, setText] = useState<string | null>(null);
  const shown = text ?? known?.text ?? service?.example ?? '{}';
  const answer = (type: Recorded['kind']): void => {
    const happening = happeningOf(waiting, type, shown);
    if (happening) happen(happening);
  };
  return (
    <section className="panel stack" aria-label={`${where} waits`} data-waits={waiting.elementId}>
      <h3>{where}</h3>
      <Said waiting={waiting} service={service?.name ?? 'the service'} />
      {waiting.kind !== 'timer' && shown.length > LONGEST_SHOWN && (
        <p className="note small">
          A text of {shown.length.toLocaleString('en')} characters is taken as it is: it is too long to be shown here.{' '}
          <Button size="compact-xs" variant="default" onClick={() => setText('{}')}>
            Write another one
          </Button>
        </p>
      )}
      {waiting.kind !== 'timer' && shown.length <= LONGEST_SHOWN && (
        <Textarea
          label={waiting.kind === 'job' ? 'Result of the service' : 'Variables that come with it'}
          description={known ? 'As it was in the chosen instance.' : undefined}
          autosize
          maxRows={10}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={shown}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className="row">
        {waiting.kind === 'job' && (
          <>
            <Button size="xs" variant={known?.kind === 'fail' ? 'default' : 'filled'} onClick={() => answer('succeed')}>
              It succeeds
            </Button>
            <Button size="xs" variant={known?.kind === 'fail' ? 'filled' : 'default'} onClick={() => answer('fail')}>
              It fails
            </Button>
          </>
        )}
        {waiting.kind === 'timer' && (
          <Button size="xs" onClick={() => answer('due')}>
            Let it be due
          </Button>
        )}
        {(waiting.kind === 'message' || waiting.kind === 'signal') && (
          <Button size="xs" onClick={() => answer('receive')}>
            It comes
          </Button>
        )}
      </div>
      {waiting.kind === 'job' && <Elsewhere {...props} waiting={waiting} onText={setText} />}
    </section>
  );
}

function Said({ waiting, service }: { readonly waiting: Waiting; readonly service: string }) {
  if (waiting.kind === 'job')
    return (
      <p className="note mono small unspaced">
        <LongText>{`calls ${service} with ${waiting.input}`}</LongText>
      </p>
    );
  if (waiting.kind === 'timer') return <p className="note">waits until {new Date(waiting.due).toLocaleString()}</p>;
  return (
    <p className="note unspaced">
      waits for the {waiting.kind} <strong>{shortened(waiting.name, LONGEST_NAME)}</strong>
      {waiting.correlationKey !== '' && (
        <>
          {' '}
          with the key{' '}
          <code>
            <LongText>{waiting.correlationKey}</LongText>
          </code>
        </>
      )}
    </p>
  );
}

/** Results that are not made up: of an earlier execution of the service, and of a call that really happens. */
function Elsewhere({
  waiting,
  input,
  happen,
  onText,
}: Props & { readonly waiting: Waiting & { readonly kind: 'job' }; readonly onText: (text: string) => void }) {
  const acting = useActing();
  const mayRun = useMay('execution:start');
  const earlier = useInfiniteQuery(executionsQuery(acting, { serviceId: waiting.serviceId }));
  const ended = (earlier.data?.pages.flat() ?? []).filter(
    ({ status }) => status === 'SUCCEEDED' || status === 'FAILED',
  );
  const ask = useRef<AbortController | null>(null);
  useEffect(() => () => ask.current?.abort(), []);
  const take = useMutation({ mutationFn: (id: string) => resultOf(acting, id), onSuccess: onText });
  const call = useMutation({
    mutationFn() {
      ask.current = new AbortController();
      return callForReal(acting, waiting, input, ask.current.signal);
    },
    onSuccess({ kind, text }) {
      const happening = happeningOf(waiting, kind, text);
      if (happening) happen(happening);
    },
  });
  const error = call.error ?? take.error;
  return (
    <>
      {ended.length > 0 && (
        <NativeSelect
          size="xs"
          label="Take the result of an earlier execution"
          value=""
          data={[
            { value: '', label: 'Choose one' },
            ...ended.map(({ id, createdAt, status }) => ({ value: id, label: `${createdAt} ${status.toLowerCase()}` })),
          ]}
          onChange={({ currentTarget: { value } }) => value !== '' && take.mutate(value)}
        />
      )}
      {mayRun && (
        <div className="row">
          <Button size="compact-xs" variant="default" loading={call.isPending} onClick={() => call.mutate()}>
            Call the service
          </Button>
          <span className="quiet small">It really runs, and counts as a call of yours.</span>
        </div>
      )}
      {error && <Problem error={error} />}
    </>
  );
}
