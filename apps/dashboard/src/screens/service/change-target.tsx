import type { Target } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormProblem } from '../../forms/problem-at.tsx';
import { emptyTarget, TargetFields, targetOf, targetPointers } from './target-fields.tsx';
import { useServiceAddress } from './use-service.ts';

/** Where a version of an on-premise service runs. It can move after the publication as well. */
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
  const change = useMutation({
    mutationFn: () =>
      acting.platform.setTarget({
        serviceId,
        version,
        json: targetOf(draft),
        headers: etag === null ? {} : { 'if-match': etag },
      }),
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
        change.mutate();
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
      <div>
        <Button type="submit" loading={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
