import type { ServiceVersion } from '@kethub/contract';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { serviceQuery, versionFormQuery } from '../../data/queries.ts';
import { ifMatch, tagged, type Tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { useDraft } from '../../forms/draft.ts';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { fromLocalInput, parseTime, toLocalInput } from '../../look/time.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from './use-service.ts';

interface Asked {
  readonly version: string;
  readonly onClose: () => void;
}

/** Announces from when on a version cannot be started any more, or changes that moment. */
export function Retire({ version, onClose }: Asked) {
  const { acting, serviceId } = useServiceAddress();
  const present = useQuery(versionFormQuery(acting, 'retirement', serviceId, version));
  return (
    <Modal opened onClose={onClose} title={`Retire ${version}`} lockScroll={false}>
      {present.error && <Problem error={present.error} onRetry={() => void present.refetch()} />}
      {present.isPending && <p className="quiet">Loading…</p>}
      {present.data && <Announcement version={version} present={present.data} onClose={onClose} />}
    </Modal>
  );
}

function Announcement({ version, present, onClose }: Asked & { readonly present: Tagged<ServiceVersion> }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const { seen, draft: at, setDraft: setAt, show } = useDraft(present, sunsetOf);
  const retire = useMutation({
    mutationFn: (over: string | null) =>
      acting.platform.retireServiceVersion({
        serviceId,
        version,
        json: at === '' ? {} : { sunset: fromLocalInput(at).toISOString() },
        headers: ifMatch(over),
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: serviceQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  return (
    <Form className="stack" request={retire} onSubmit={() => retire.mutate(seen.etag)}>
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
      <Conflict
        error={retire.error}
        read={() => tagged<ServiceVersion>(acting.platform.getServiceVersion.response({ serviceId, version }))}
        compare={(theirs) => [
          {
            label: 'Cannot be started from',
            mine: at === '' ? 'now on' : at.replace('T', ' '),
            theirs: sunsetOf(theirs).replace('T', ' '),
          },
        ]}
        onMine={({ etag }) => retire.mutate(etag)}
        onTheirs={(theirs) => {
          show(theirs);
          retire.reset();
        }}
      />
      {!isStale(retire.error) && (
        <Button type="submit" color={at === '' ? 'red' : 'ket'} loading={retire.isPending}>
          {at === '' ? 'Retire now' : 'Announce'}
        </Button>
      )}
    </Form>
  );
}

/** The announced moment as the input shows it, in local time; empty where nothing is announced. */
function sunsetOf({ value: { retirement } }: Tagged<ServiceVersion>): string {
  return retirement === undefined ? '' : toLocalInput(parseTime(retirement.sunset));
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
