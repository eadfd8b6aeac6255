import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { serviceQuery } from '../../data/queries.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { fromLocalInput, parseTime, toLocalInput } from '../../look/time.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { useServiceAddress } from './use-service.ts';

interface Asked {
  readonly version: string;
  readonly onClose: () => void;
}

/** Announces from when on a version cannot be started any more, or changes that moment. */
export function Retire({ version, sunset, onClose }: Asked & { readonly sunset: string | undefined }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [at, setAt] = useState(sunset === undefined ? '' : toLocalInput(parseTime(sunset)));
  const retire = useMutation({
    mutationFn: () =>
      acting.platform.retireServiceVersion({
        serviceId,
        version,
        json: at === '' ? {} : { sunset: fromLocalInput(at).toISOString() },
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: serviceQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Retire ${version}`} lockScroll={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          retire.mutate();
        }}
      >
        <p style={{ margin: 0 }}>
          It takes no new subscriptions from now on. Callers learn the date from the headers of each answer. What runs
          then goes on, and results can still be read.
        </p>
        <TextInput
          type="datetime-local"
          label="Cannot be started from"
          description="Your local time. Left empty: from now on, which cannot be taken back."
          value={at}
          error={complaintAt(retire.error, '/sunset')}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
        {at !== '' && (
          <p className="quiet small numbers" style={{ margin: 0 }}>
            In UTC: {fromLocalInput(at).toISOString().slice(0, 16).replace('T', ' ')}
          </p>
        )}
        <FormProblem error={retire.error} fields={['/sunset']} />
        <Button type="submit" color={at === '' ? 'red' : 'ket'} loading={retire.isPending}>
          {at === '' ? 'Retire now' : 'Announce'}
        </Button>
      </form>
    </Modal>
  );
}

/** Takes the announcement back, as long as the version can be started. */
export function WithdrawRetirement({ version, onClose }: Asked) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => acting.platform.withdrawRetirement({ serviceId, version }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: serviceQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  return (
    <Confirm title={`Keep ${version}?`} action="Withdraw the retirement" request={withdraw} onClose={onClose}>
      The version stays, and takes subscriptions again.
    </Confirm>
  );
}
