import type { ServiceVersion, Target } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ifMatch, tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { emptyTarget, TargetFields, targetOf, targetPointers } from './target-fields.tsx';
import { useServiceAddress } from './use-service.ts';

/** Address at which a version of an on-premise service runs. It can move after the publication as well. */
export function ChangeTarget({
  version,
  etag,
  present,
  mayChange,
}: {
  readonly version: string;
  readonly etag: string | null;
  readonly present: Target;
  readonly mayChange: boolean;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [draft, setDraft] = useState({
    ...emptyTarget,
    url: present.url,
    timeoutSeconds: String(present.timeoutSeconds),
    changesCredentials: !present.hasCredentials,
  });
  const [seen, setSeen] = useState(etag);
  const change = useMutation({
    mutationFn: (over: string | null) =>
      acting.platform.setTarget({ serviceId, version, json: targetOf(draft), headers: ifMatch(over) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] }),
  });
  if (!mayChange)
    return (
      <section className="panel" aria-label="Where it runs">
        <dl className="facts">
          <dt>Address</dt>
          <dd className="mono">{present.url}</dd>
          <dt>Longest wait for an answer</dt>
          <dd className="numbers">{present.timeoutSeconds} s</dd>
          <dt>Credentials</dt>
          <dd>{present.hasCredentials ? 'sent by the gateway' : 'none'}</dd>
        </dl>
      </section>
    );
  return (
    <form
      className="panel stack"
      aria-label="Where it runs"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(seen);
      }}
    >
      <TargetFields
        draft={draft}
        onChange={setDraft}
        error={change.error}
        at=""
        hasCredentials={present.hasCredentials}
      />
      <FormProblem error={change.error} fields={targetPointers('')} />
      <Conflict
        error={change.error}
        read={() => tagged<ServiceVersion>(acting.platform.getServiceVersion.response({ serviceId, version }))}
        compare={({ value: { target } }) => [
          { label: 'Address', mine: draft.url, theirs: target?.url ?? '' },
          {
            label: 'Longest wait in seconds',
            mine: draft.timeoutSeconds,
            theirs: target === undefined ? '' : String(target.timeoutSeconds),
          },
          {
            label: 'Credentials',
            mine: draft.changesCredentials ? 'new ones' : 'as they are',
            theirs: target?.hasCredentials === true ? 'there are some' : 'none',
          },
        ]}
        onMine={(theirs) => change.mutate(theirs.etag)}
        onTheirs={({ value: { target }, etag }) => {
          setSeen(etag);
          if (target)
            setDraft({
              ...emptyTarget,
              url: target.url,
              timeoutSeconds: String(target.timeoutSeconds),
              changesCredentials: !target.hasCredentials,
            });
          change.reset();
        }}
      />
      <div>
        <Button type="submit" loading={change.isPending} disabled={isStale(change.error)}>
          Save
        </Button>
      </div>
    </form>
  );
}
