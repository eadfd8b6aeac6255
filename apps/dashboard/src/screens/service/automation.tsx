import { Button } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, type ActingContext } from '../../data/context.tsx';
import { serviceQuery } from '../../data/queries.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { useServiceAddress } from './use-service.ts';

/** The automation that makes versions of a service from pushes to an implementation. */
const sourceQuery = ({ base, platform }: ActingContext, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'source'],
    queryFn: ({ signal }) => platform.getServiceSource({ serviceId, signal }),
  });

/** Says that pushes make versions of the service, which and whether the last one did, and ends it. */
export function Automation() {
  const { acting, serviceId } = useServiceAddress();
  const { data: source } = useQuery(sourceQuery(acting, serviceId));
  const mayAutomate = useMay('service:automate');
  const [isEnding, setEnding] = useState(false);
  if (!source) return null;
  const { on, pattern, action, implementationId, lastVersion, problem } = source;
  return (
    <div className="panel stack">
      <div className="row apart">
        <span>
          Each push to {on === 'BRANCH' ? 'the branch' : 'a tag'} <code>{pattern}</code> of{' '}
          <Link to={`${acting.base}/implementations/${implementationId}`}>the implementation</Link>{' '}
          {action === 'PUBLISH' ? 'makes a version, which is published when it is built.' : 'makes a draft.'}
          {lastVersion !== null && ` The last version of it is ${lastVersion}.`}
        </span>
        {mayAutomate && (
          <Button variant="default" onClick={() => setEnding(true)}>
            End this
          </Button>
        )}
      </div>
      {problem !== null && (
        <div role="status" style={{ color: 'var(--failed)' }}>
          The last push made no version: {problem}
        </div>
      )}
      {isEnding && <EndOfAutomation onClose={() => setEnding(false)} />}
    </div>
  );
}

function EndOfAutomation({ onClose }: { readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => acting.platform.removeServiceSource({ serviceId }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: serviceQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  return (
    <Confirm title="Make no more versions of pushes?" action="End it" request={end} onClose={onClose}>
      Versions that are there stay.
    </Confirm>
  );
}
