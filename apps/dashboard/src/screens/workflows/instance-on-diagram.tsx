import type { WorkflowInstanceDetails } from '@kethub/contract';
import { Button, Slider } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { journalQuery, isUnderWay, type JournalEntry } from '../../data/workflow-queries.ts';
import { useEveryPage } from '../../look/more.tsx';
import { InstanceDiagram } from '../../modeller/instance/diagram.tsx';
import { placesAt } from '../../modeller/instance/places.ts';
import { useServiceAddress } from '../service/use-service.ts';
import { entryInWords } from './journal-in-words.ts';

/** Pages of a journal that are loaded for the slider, of 200 steps each. */
const MOST_PAGES = 50;

/** An instance on the diagram of its version, now or after an earlier step. */
export default function InstanceOnDiagram({ instance }: { readonly instance: WorkflowInstanceDetails }) {
  const { acting, serviceId } = useServiceAddress();
  const { id, version = '', processId } = instance;
  const file = useQuery({
    queryKey: [acting.base, 'service', serviceId, 'source', version],
    enabled: version !== '',
    staleTime: Infinity,
    async queryFn({ signal }) {
      const source = await acting.platform.downloadSource({ serviceId, version, signal });
      return source.text();
    },
  });
  const journal = useInfiniteQuery(journalQuery(acting, id, isUnderWay(instance)));
  const pages = journal.data?.pages.length ?? 0;
  useEveryPage({
    hasNextPage: journal.hasNextPage && pages < MOST_PAGES,
    isFetchingNextPage: journal.isFetchingNextPage,
    isError: journal.isError,
    fetchNextPage: journal.fetchNextPage,
  });
  const steps = useMemo(() => journal.data?.pages.flat() ?? [], [journal.data]);
  const [chosen, setChosen] = useState<number | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const last = steps.at(-1)?.seq ?? 0;
  if (!file.data) return file.error ? null : <div className="panel quiet">Loading…</div>;
  const until = chosen ?? last;
  const step = steps.find(({ seq }) => seq === until);
  const { what, where } = step ? entryInWords(step) : { what: '', where: '' };
  return (
    <section className="panel flush" aria-label="Diagram of the instance">
      <InstanceDiagram
        xml={file.data}
        journal={steps}
        until={until}
        processId={processId}
        onSelect={setSelected}
        className="instance-canvas"
      />
      <div className="history">
        <Slider
          thumbLabel="Step of the journal"
          min={steps[0]?.seq ?? 0}
          max={Math.max(last, 1)}
          value={until}
          label={null}
          size="sm"
          onChange={(next) => setChosen(next >= last ? null : next)}
        />
        <span className="small" role="status">
          {chosen === null ? 'Now' : `Step ${until} of ${last}: ${where} ${what}`}
        </span>
        {chosen !== null && (
          <Button size="compact-xs" variant="default" onClick={() => setChosen(null)}>
            Now
          </Button>
        )}
      </div>
      {selected !== null && <AtElement elementId={selected} steps={steps} until={until} instance={instance} />}
    </section>
  );
}

/** Events at an element up to a step, and the execution of its task. */
function AtElement({
  elementId,
  steps,
  until,
  instance,
}: {
  readonly elementId: string;
  readonly steps: readonly JournalEntry[];
  readonly until: number;
  readonly instance: WorkflowInstanceDetails;
}) {
  const { acting, at } = useServiceAddress();
  const { active = 0, done = 0, incidents = 0 } = placesAt(steps, until).elements.get(elementId) ?? {};
  const activities = instance.activities.filter((one) => one.elementId === elementId);
  return (
    <div className="history-element" role="status">
      <strong>{elementId}</strong>
      <span>
        {active} active, {done} done{incidents > 0 && `, ${incidents} stand still`}
      </span>
      {activities.map(({ element, job, childInstanceId }) => (
        <span key={element}>
          {job && <Link to={`${acting.base}/executions/${job.executionId}`}>Its execution</Link>}
          {childInstanceId !== undefined && <Link to={`${at}/instances/${childInstanceId}`}>What it calls</Link>}
        </span>
      ))}
    </div>
  );
}
