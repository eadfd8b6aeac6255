import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useActing } from '../../data/context.tsx';
import { sharedServiceQuery } from '../../data/sharing-queries.ts';

/** The shared service that the page is about. */
export function useSharedService() {
  const acting = useActing();
  const { serviceId = '' } = useParams({ strict: false }) as { serviceId?: string };
  const service = useQuery(sharedServiceQuery(acting, serviceId));
  return { acting, serviceId, at: `${acting.base}/shared/${serviceId}`, service };
}
