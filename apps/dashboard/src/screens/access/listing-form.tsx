import type { Listing } from '@kethub/contract';
import { KethubError } from '@kethub/client';
import { Button, MultiSelect, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listingOf, listingQuery } from '../../data/marketplace-queries.ts';
import { ifMatch, type Tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { CATEGORY_CHOICES, isCategory } from '../../look/market.ts';
import { Markdown } from '../../look/markdown.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { differencesOf, draftOf, listingRequestOf, type ListingDraft } from './listing-draft.ts';
import { PlansForm } from './plans-form.tsx';

/** Puts a service into the marketplace, or changes its offer. */
export function ListingForm({
  name,
  versions,
  isOnPremise,
  present,
  onClose,
}: {
  readonly name: string;
  readonly versions: readonly string[];
  readonly isOnPremise: boolean;
  readonly present: Tagged<Listing> | null;
  readonly onClose: () => void;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(present?.value ?? null, name, versions));
  const [seen, setSeen] = useState(present?.etag ?? null);
  const set = (change: Partial<ListingDraft>): void => setDraft({ ...draft, ...change });
  const publish = useMutation({
    mutationFn: (over: string | null) =>
      acting.platform.publishListing({ serviceId, json: listingRequestOf(draft), headers: ifMatch(over) }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: listingQuery(acting, serviceId).queryKey });
      await queries.invalidateQueries({ queryKey: ['marketplace'] });
      await queries.invalidateQueries({ queryKey: ['offer', serviceId] });
      onClose();
    },
  });
  const { error } = publish;
  const pointers = error instanceof KethubError ? error.errors.map(({ pointer }) => pointer) : [];
  const atPlans = pointers.filter((pointer) => /^\/pricingPlans\/\d+\//.test(pointer));
  return (
    <Form className="panel stack" aria-label="Offer" request={publish} onSubmit={() => publish.mutate(seen)}>
      <div className="fields">
        <TextInput
          label="Title"
          required
          maxLength={100}
          value={draft.title}
          error={complaintAt(error, '/title')}
          onChange={(event) => set({ title: event.currentTarget.value })}
        />
        <Select
          label="Version"
          required
          allowDeselect={false}
          openOnFocus={false}
          data={[...new Set([...(draft.version === '' ? [] : [draft.version]), ...versions])]}
          value={draft.version}
          error={complaintAt(error, '/version')}
          onChange={(version) => set({ version: version ?? draft.version })}
        />
      </div>
      <TextInput
        label="Summary"
        description="One sentence, which the list of the marketplace shows."
        maxLength={300}
        value={draft.summary}
        error={complaintAt(error, '/summary')}
        onChange={(event) => set({ summary: event.currentTarget.value })}
      />
      <MultiSelect
        label="Categories"
        searchable
        openOnFocus={false}
        data={CATEGORY_CHOICES}
        value={[...draft.categories]}
        onChange={(categories) => set({ categories: categories.filter(isCategory) })}
      />
      <div className="split">
        <Textarea
          label="Documentation"
          description="Markdown: headings, lists, code, links."
          autosize
          minRows={8}
          maxRows={24}
          maxLength={50_000}
          value={draft.documentation}
          error={complaintAt(error, '/documentation')}
          onChange={(event) => set({ documentation: event.currentTarget.value })}
        />
        <section aria-label="Preview of the documentation" className="preview">
          <Markdown text={draft.documentation} />
        </section>
      </div>
      <PlansForm plans={draft.plans} onChange={(plans) => set({ plans })} error={error} isOnPremise={isOnPremise} />
      <FormProblem
        error={error}
        fields={['/title', '/version', '/summary', '/documentation', '/pricingPlans', ...atPlans]}
      />
      <Conflict
        error={error}
        read={async () => ({ listing: await listingOf(acting.platform, serviceId) })}
        compare={({ listing }) => differencesOf(draft, draftOf(listing?.value ?? null, name, versions))}
        onMine={({ listing }) => publish.mutate(listing?.etag ?? null)}
        onTheirs={({ listing }) => {
          setDraft(draftOf(listing?.value ?? null, name, versions));
          setSeen(listing?.etag ?? null);
          publish.reset();
        }}
      />
      <div className="row">
        <Button type="submit" loading={publish.isPending} disabled={isStale(error) || draft.plans.length === 0}>
          {present ? 'Save the offer' : 'Put it into the marketplace'}
        </Button>
        <Button variant="default" onClick={onClose}>
          Back
        </Button>
      </div>
    </Form>
  );
}
