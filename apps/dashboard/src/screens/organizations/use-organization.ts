import { useActing, type ActingContext } from '../../data/context.tsx';

/** The organization for which the person acts. */
export function useOrganization(): { acting: ActingContext; organizationId: string } {
  const acting = useActing();
  return { acting, organizationId: acting.organizationId ?? '' };
}
