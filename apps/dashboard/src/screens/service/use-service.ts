import { useParams } from '@tanstack/react-router';
import { useActing, type ActingContext } from '../../data/context.tsx';

/** Address of the service that the page is about. */
export function useServiceAddress(): { acting: ActingContext; serviceId: string; at: string } {
  const acting = useActing();
  const { serviceId = '' } = useParams({ strict: false }) as { serviceId?: string };
  return { acting, serviceId, at: `${acting.base}/services/${serviceId}` };
}
