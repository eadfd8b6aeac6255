import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { isBuilt } from '../../data/queries.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from './use-service.ts';

/** Buttons of a draft: its build is cancelled or started again, and the draft beside another version is deleted. */
export function DraftButtons({
  version,
  status,
  isOnly,
}: {
  readonly version: string;
  /** Status of the build; undefined where there is none. */
  readonly status: string | undefined;
  /** True for the only version of the service, which goes with the service. */
  readonly isOnly: boolean;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const mayChange = useMay('service:change');
  const [isDeleting, setDeleting] = useState(false);
  const renew = () => queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] });
  const build = useMutation({
    mutationFn: (action: 'restart' | 'cancel') =>
      action === 'restart'
        ? acting.platform.restartBuild({ serviceId, version })
        : acting.platform.cancelBuild({ serviceId, version }),
    onSuccess: renew,
  });
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteServiceVersion({ serviceId, version }),
    onSuccess: renew,
  });
  if (!mayChange) return null;
  return (
    <>
      {status !== undefined && (
        <Button
          size="xs"
          variant="default"
          loading={build.isPending}
          onClick={() => build.mutate(isBuilt({ status }) ? 'restart' : 'cancel')}
        >
          {isBuilt({ status }) ? 'Build again' : 'Cancel the build'}
        </Button>
      )}
      {!isOnly && (
        <Button size="xs" variant="default" onClick={() => setDeleting(true)} style={{ color: 'var(--failed)' }}>
          Delete
        </Button>
      )}
      {build.error && <Problem error={build.error} />}
      {isDeleting && (
        <Confirm
          title={`Delete the draft ${version}?`}
          action="Delete"
          request={remove}
          onClose={() => setDeleting(false)}
        >
          Its source and the log of its build go with it. Published versions stay as they are.
        </Confirm>
      )}
    </>
  );
}
