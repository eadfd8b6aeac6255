import { useEffect } from 'react';

/** Asks whoever closes or reloads the page whether they mean it, while something is sent. */
export function useAskBeforeLeaving(isSending: boolean): void {
  useEffect(() => {
    if (!isSending) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isSending]);
}
