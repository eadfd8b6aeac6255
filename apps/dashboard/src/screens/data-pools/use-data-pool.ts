import { useParams } from '@tanstack/react-router';
import { useActing, type ActingContext } from '../../data/context.tsx';

/** The data pool that the page is about. */
export function useDataPoolAddress(): { acting: ActingContext; dataPoolId: string } {
  const { dataPoolId = '' } = useParams({ strict: false }) as { dataPoolId?: string };
  return { acting: useActing(), dataPoolId };
}
