import { Button, Modal, Select } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { sharedServicesQuery, subscriptionsQuery } from '../../data/application-queries.ts';
import { servicesQuery } from '../../data/queries.ts';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { Problem } from '../../shell/problem.tsx';
import { choicesAmong, type Choice } from './choices.ts';
import { useApplicationAddress } from './use-application.ts';

/** Subscribes the application to a service of its owner, or to one that is shared with them. */
export function Subscribe({
  subscribed,
  onClose,
}: {
  readonly subscribed: readonly { readonly serviceId: string; readonly version: string }[];
  readonly onClose: () => void;
}) {
  const { acting } = useApplicationAddress();
  const own = useInfiniteQuery(servicesQuery(acting));
  const shared = useInfiniteQuery(sharedServicesQuery(acting));
  useEveryPage(own);
  useEveryPage(shared);
  const choices = choicesAmong(own.data?.pages.flat() ?? [], shared.data?.pages.flat() ?? []);
  const error = own.error ?? shared.error;
  const isLoading = own.isPending || shared.isPending || own.hasNextPage || shared.hasNextPage;
  return (
    <Modal opened onClose={onClose} title="Subscribe to a service" lockScroll={false}>
      {error ? (
        <Problem error={error} />
      ) : isLoading && choices.length === 0 ? (
        <p className="quiet">Loading…</p>
      ) : choices.length === 0 ? (
        <p style={{ margin: 0 }}>
          No service takes subscriptions yet. Publish a version of one of your{' '}
          <Link to={`${acting.base}/services`}>services</Link> for applications of yours, or ask somebody to share one
          that is published so.
        </p>
      ) : (
        <ChoiceForm choices={choices} subscribed={subscribed} onClose={onClose} />
      )}
    </Modal>
  );
}

function ChoiceForm({
  choices,
  subscribed,
  onClose,
}: {
  readonly choices: readonly Choice[];
  readonly subscribed: readonly { readonly serviceId: string; readonly version: string }[];
  readonly onClose: () => void;
}) {
  const { acting, applicationId } = useApplicationAddress();
  const queries = useQueryClient();
  const [serviceId, setServiceId] = useState(choices.length === 1 ? (choices[0]?.id ?? null) : null);
  const [wanted, setWanted] = useState<string | null>(null);
  const choice = choices.find(({ id }) => id === serviceId);
  const version = wanted ?? choice?.versions[0] ?? null;
  const isKnown = subscribed.some((one) => one.serviceId === serviceId && one.version === version);
  const subscribe = useMutation({
    mutationFn: (asked: { serviceId: string; version: string }) =>
      acting.platform.subscribe({ applicationId, json: asked }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: subscriptionsQuery(acting, applicationId).queryKey });
      onClose();
    },
  });
  const group = (name: string, isShared: boolean) => ({
    group: name,
    items: choices.filter((one) => one.isShared === isShared).map(({ id, name }) => ({ value: id, label: name })),
  });
  return (
    <Form
      className="stack"
      request={subscribe}
      onSubmit={() => {
        if (serviceId !== null && version !== null) subscribe.mutate({ serviceId, version });
      }}
    >
      <Select
        label="Service"
        required
        data-autofocus
        openOnFocus={false}
        allowDeselect={false}
        searchable
        nothingFoundMessage="No service has this name."
        data={[group('Your own', false), group('Shared with you', true)].filter(({ items }) => items.length > 0)}
        value={serviceId}
        error={complaintAt(subscribe.error, '/serviceId')}
        onChange={(id) => {
          setServiceId(id);
          setWanted(null);
        }}
      />
      <Select
        label="Version"
        description="A subscription stays with its version when a newer one is published."
        required
        disabled={choice === undefined}
        data={[...(choice?.versions ?? [])]}
        value={version}
        error={complaintAt(subscribe.error, '/version')}
        onChange={setWanted}
        allowDeselect={false}
      />
      <FormProblem error={subscribe.error} fields={['/serviceId', '/version']} />
      <div className="row">
        <Button type="submit" loading={subscribe.isPending} disabled={version === null || isKnown}>
          Subscribe
        </Button>
        {isKnown && <span className="quiet small">The application has subscribed to this version already.</span>}
      </div>
    </Form>
  );
}
