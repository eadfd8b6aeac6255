import type { Share } from '@kethub/contract';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sharesQuery } from '../../data/sharing-queries.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { RecipientField, type Recipient } from '../../forms/recipient-field.tsx';
import { fromLocalInput, parseTime, toApiTime, toLocalInput } from '../../look/time.ts';
import { useServiceAddress } from './use-service.ts';

const POINTERS = ['/recipient/id', '/startDate', '/endDate'];

/** Shares the service, or changes the dates of a share. Dates are typed in local time, with UTC beside. */
export function ShareForm({ share, onClose }: { readonly share: Share | null; readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [recipient, setRecipient] = useState<Recipient>(share?.recipient ?? { type: 'USER', id: '' });
  const [start, setStart] = useState(inputOf(share?.startDate));
  const [end, setEnd] = useState(inputOf(share?.endDate));
  const request = useMutation({
    mutationFn: () => {
      const dates = { startDate: timeOf(start), endDate: timeOf(end) };
      return share === null
        ? acting.platform.createShare({ serviceId, json: { recipient, ...dates } })
        : acting.platform.changeShare({ serviceId, shareId: share.id, json: dates });
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: sharesQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  const isBackwards = start !== '' && end !== '' && fromLocalInput(end) <= fromLocalInput(start);
  return (
    <Modal
      opened
      onClose={onClose}
      title={share === null ? 'Share the service' : 'Dates of the share'}
      lockScroll={false}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate();
        }}
      >
        {share === null && (
          <RecipientField
            value={recipient}
            onChange={setRecipient}
            error={complaintAt(request.error, '/recipient/id')}
          />
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
        <Button type="submit" loading={request.isPending} disabled={recipient.id === '' || isBackwards}>
          {share === null ? 'Share' : 'Save'}
        </Button>
      </form>
    </Modal>
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
