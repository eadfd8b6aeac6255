import type { WorkflowVariables } from '@kethub/contract';
import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { writeExact } from '../../data/exact-json.ts';
import { variablesQuery } from '../../data/workflow-queries.ts';
import { CopyButton } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { Tree } from '../../viewers/tree.tsx';

/** Milliseconds for which the slider rests before earlier variables are asked for. */
const DEBOUNCE_MS = 250;

/** Variables of each scope of an instance, now or as they were after a step. */
export function Variables({
  instanceId,
  step,
  element,
  nameOf,
}: {
  readonly instanceId: string;
  readonly step: number | null;
  readonly element: string | null;
  readonly nameOf: (elementId: string) => string;
}) {
  const debounced = useDebounced(step);
  const [isWide, setWide] = useState(false);
  const elementId = isWide ? null : element;
  const variables = useQuery({
    ...variablesQuery(useActing(), { instanceId, step: debounced, elementId }),
    placeholderData: keepPreviousData,
  });
  const { data } = variables;
  const isOld = variables.isPlaceholderData || debounced !== step;
  return (
    <div className="stack" aria-busy={isOld}>
      <div className="row apart">
        <span className="quiet" role="status">
          {step === null ? 'As they are now.' : isOld ? `After step ${step} …` : `As they were after step ${step}.`}
        </span>
        {element !== null && (
          <Button size="compact-xs" variant="default" onClick={() => setWide(!isWide)}>
            {isWide ? `Only those of ${nameOf(element)}` : 'Those of all scopes'}
          </Button>
        )}
      </div>
      {variables.error && <Problem error={variables.error} onRetry={() => void variables.refetch()} />}
      {variables.isPending && <p className="quiet">Loading…</p>}
      {data && !variables.error && <Scopes of={data} nameOf={nameOf} elementId={elementId} />}
    </div>
  );
}

function Scopes({
  of: { scopes, isPartial },
  nameOf,
  elementId,
}: {
  readonly of: WorkflowVariables;
  readonly nameOf: (elementId: string) => string;
  readonly elementId: string | null;
}) {
  if (scopes.length === 0)
    return (
      <p className="quiet" style={{ margin: 0 }}>
        {elementId === null
          ? 'None yet.'
          : `${nameOf(elementId)} is not open there, so it has no variables of its own.`}
      </p>
    );
  return (
    <>
      {scopes.map(({ element, elementId: at, elementName, scope, loopCounter, variables }) => (
        <section key={element} className="stack scope" aria-label={`Variables of ${elementName ?? nameOf(at)}`}>
          <div className="row apart">
            <h3>
              {scope === 0 ? 'Process' : (elementName ?? nameOf(at))}
              {loopCounter !== undefined && <span className="quiet"> number {loopCounter}</span>}{' '}
              <span className="mono small quiet">{at}</span>
            </h3>
            <CopyButton value={writeExact(variables)} label={`Copy the variables of ${at}`} />
          </div>
          {Object.keys(variables).length === 0 ? <span className="quiet">None.</span> : <Tree value={variables} />}
        </section>
      ))}
      {isPartial && <p className="quiet">There are more. Choose an element to see its scopes.</p>}
    </>
  );
}

/** A value after it has rested for a moment; at once when it becomes null. */
function useDebounced(value: number | null): number | null {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    if (value === null) {
      setDebounced(null);
      return undefined;
    }
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return value === null ? null : debounced;
}
