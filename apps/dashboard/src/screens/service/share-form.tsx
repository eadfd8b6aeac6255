import type { Share } from '@kethub/contract';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { shareQuery, sharesQuery } from '../../data/sharing-queries.ts';
import { ifMatch, tagged, type Tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { RecipientField, type Recipient } from '../../forms/recipient-field.tsx';
import { fromLocalInput, parseTime, toApiTime, toLocalInput } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from './use-service.ts';

const POINTERS = ['/recipient/id', '/startDate', '/endDate'];

/** Shares the service, or changes the dates of a share. Dates are typed in local time, with UTC beside. */
export function ShareForm({ share, onClose }: { readonly share: Share | null; readonly onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={share === null ? 'Share the service' : 'Dates of the share'}
      lockScroll={false}
    >
      {share === null ? (
        <Fields present={null} onClose={onClose} />
      ) : (
        <PresentDates shareId={share.id} onClose={onClose} />
      )}
    </Modal>
  );
}

/** Reads the dates that are saved now, with the tag that their change sends. */
function PresentDates({ shareId, onClose }: { readonly shareId: string; readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const share = useQuery(shareQuery(acting, serviceId, shareId));
  if (isMissing(share)) return <Problem error={share.error} onRetry={() => void share.refetch()} />;
  if (!share.data) return <p className="quiet">Loading…</p>;
  return <Fields present={share.data} onClose={onClose} />;
}

function Fields({ present, onClose }: { readonly present: Tagged<Share> | null; readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [recipient, setRecipient] = useState<Recipient>({ type: 'USER', id: '' });
  const [start, setStart] = useState(inputOf(present?.value.startDate));
  const [end, setEnd] = useState(inputOf(present?.value.endDate));
  const [seen, setSeen] = useState(present);
  const request = useMutation({
    mutationFn: (over: Tagged<Share> | null) => {
      const dates = { startDate: timeOf(start), endDate: timeOf(end) };
      return over === null
        ? acting.platform.createShare({ serviceId, json: { recipient, ...dates } })
        : acting.platform.changeShare({ serviceId, shareId: over.value.id, json: dates, headers: ifMatch(over.etag) });
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: sharesQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  const isBackwards = start !== '' && end !== '' && fromLocalInput(end) <= fromLocalInput(start);
  return (
    <Form className="stack" request={request} onSubmit={() => request.mutate(seen)}>
      {seen === null && (
        <RecipientField value={recipient} onChange={setRecipient} error={complaintAt(request.error, '/recipient/id')} />
      )}
      <DateField
        label="From"
        empty="Your local time. Left empty: from now on."
        value={start}
        onChange={setStart}
        error={complaintAt(request.error, '/startDate')}
      />
      <DateField
        label="Until"
        empty="Your local time. Left empty: without end."
        value={end}
        onChange={setEnd}
        error={isBackwards ? 'This is before it starts.' : complaintAt(request.error, '/endDate')}
      />
      <FormProblem error={request.error} fields={POINTERS} />
      <Conflict
        error={request.error}
        read={() => tagged<Share>(acting.platform.getShare.response({ serviceId, shareId: present?.value.id ?? '' }))}
        compare={({ value }) => [
          { label: 'From', mine: inWords(start), theirs: inWords(inputOf(value.startDate)) },
          { label: 'Until', mine: inWords(end), theirs: inWords(inputOf(value.endDate)) },
        ]}
        onMine={(theirs) => request.mutate(theirs)}
        onTheirs={(theirs) => {
          setSeen(theirs);
          setStart(inputOf(theirs.value.startDate));
          setEnd(inputOf(theirs.value.endDate));
          request.reset();
        }}
      />
      {!isStale(request.error) && (
        <Button
          type="submit"
          loading={request.isPending}
          disabled={(seen === null && recipient.id === '') || isBackwards}
        >
          {seen === null ? 'Share' : 'Save'}
        </Button>
      )}
    </Form>
  );
}

function DateField({
  label,
  empty,
  value,
  onChange,
  error,
}: {
  readonly label: string;
  /** Meaning of an empty field. */
  readonly empty: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={value === '' ? empty : `In UTC: ${toApiTime(fromLocalInput(value)).slice(0, 16)}`}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function inputOf(time: string | null | undefined): string {
  return time === null || time === undefined ? '' : toLocalInput(parseTime(time));
}

function timeOf(input: string): string | null {
  return input === '' ? null : toApiTime(fromLocalInput(input));
}

function inWords(input: string): string {
  return input.replace('T', ' ');
}
