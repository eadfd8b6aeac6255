import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Milliseconds of rest after which the step of the slider stands in the address. */
const DEBOUNCE_MS = 300;

export const TABS = ['incidents', 'variables', 'active', 'executions', 'journal', 'log'] as const;
export type Tab = (typeof TABS)[number];

/** Choices on the page of an instance. They stand in the address, so that it can be sent to a colleague. */
export interface InstanceView {
  /** Null: whatever matters most. */
  readonly tab: Tab | null;
  /** Number of an entry of the journal; null: now. */
  readonly step: number | null;
  readonly element: string | null;
  readonly show: (change: { tab?: Tab; step?: number | null; element?: string | null }) => void;
}

export function useInstanceView(): InstanceView {
  const navigate = useNavigate();
  const search = viewIn(useSearch({ strict: false }));
  const [step, setStep] = useState(search.step);
  const { tab, element } = search;
  const go = (next: { tab: Tab | null; step: number | null; element: string | null }): void =>
    void navigate({
      to: '.',
      replace: true,
      search: {
        ...(next.tab !== null && { tab: next.tab }),
        ...(next.step !== null && { step: next.step }),
        ...(next.element !== null && { element: next.element }),
      },
    });
  useEffect(() => {
    if (step === search.step) return undefined;
    const timer = setTimeout(() => go({ tab, element, step }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  });
  return {
    tab,
    step,
    element,
    show: (change) => {
      if (change.step !== undefined) setStep(change.step);
      if (change.tab !== undefined || change.element !== undefined)
        go({
          tab: change.tab ?? tab,
          step: change.step === undefined ? step : change.step,
          element: change.element === undefined ? element : change.element,
        });
    },
  };
}

/** The view in the search of an address; what is no view is left out. */
export function viewIn(search: Readonly<Record<string, unknown>>): Pick<InstanceView, 'tab' | 'step' | 'element'> {
  const { tab, step, element } = search;
  return {
    tab: TABS.find((one) => one === tab) ?? null,
    step: typeof step === 'number' && Number.isSafeInteger(step) && step > 0 ? step : null,
    element: typeof element === 'string' || typeof element === 'number' ? String(element) : null,
  };
}
