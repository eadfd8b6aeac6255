import { useParams } from '@tanstack/react-router';
import { useActing, type ActingContext } from '../../data/context.tsx';

/** The application that the page is about. */
export function useApplicationAddress(): { acting: ActingContext; applicationId: string } {
  const { applicationId = '' } = useParams({ strict: false }) as { applicationId?: string };
  return { acting: useActing(), applicationId };
}
