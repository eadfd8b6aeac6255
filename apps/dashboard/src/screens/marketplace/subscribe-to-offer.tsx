import type { MarketplaceService } from '@kethub/contract';
import { Button, Modal, Radio, Select } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { applicationsQuery } from '../../data/application-queries.ts';
import { useActing } from '../../data/context.tsx';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { planInWords } from '../../look/market.ts';
import { useEveryPage } from '../../look/more.tsx';
import { Problem } from '../../shell/problem.tsx';

/** Subscribes an application to an offer, on one of its plans. */
export function SubscribeToOffer({
  offer: { serviceId, version, title, pricingPlans },
  onClose,
}: {
  readonly offer: MarketplaceService;
  readonly onClose: () => void;
}) {
  const acting = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const applications = useInfiniteQuery(applicationsQuery(acting));
  useEveryPage(applications);
  const rows = applications.data?.pages.flat() ?? [];
  const plans = pricingPlans.filter(({ type }) => type !== 'ON_REQUEST');
  const [chosen, setChosen] = useState<string | null>(null);
  const [pricingPlanId, setPlan] = useState(plans.length === 1 ? (plans[0]?.id ?? '') : '');
  const applicationId = chosen ?? (rows.length === 1 ? (rows[0]?.id ?? null) : null);
  const subscribe = useMutation({
    mutationFn: (id: string) =>
      acting.platform.subscribe({ applicationId: id, json: { serviceId, version, pricingPlanId } }),
    async onSuccess(_, id) {
      await queries.invalidateQueries({ queryKey: [acting.base, 'application', id] });
      await navigate({ to: `${acting.base}/applications/${id}` });
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Subscribe to ${title}`} lockScroll={false}>
      {applications.error && <Problem error={applications.error} />}
      {applications.isSuccess && rows.length === 0 ? (
        <p style={{ margin: 0 }}>
          An application subscribes, and its keys then open the address of the service. Make your first one under{' '}
          <Link to={`${acting.base}/applications`}>Applications</Link>, then come back.
        </p>
      ) : (
        <Form
          className="stack"
          request={subscribe}
          onSubmit={() => {
            if (applicationId !== null) subscribe.mutate(applicationId);
          }}
        >
          <Select
            label="Application"
            required
            openOnFocus={false}
            allowDeselect={false}
            data={rows.map(({ id, name }) => ({ value: id, label: name }))}
            value={applicationId}
            onChange={setChosen}
          />
          <Radio.Group
            label="Plan"
            required
            value={pricingPlanId}
            onChange={setPlan}
            error={complaintAt(subscribe.error, '/pricingPlanId')}
          >
            <div className="stack" style={{ marginTop: 8 }}>
              {plans.map((plan) => (
                <Radio key={plan.id} value={plan.id} label={plan.name} description={planInWords(plan).join('; ')} />
              ))}
            </div>
          </Radio.Group>
          <p className="quiet small" style={{ margin: 0 }}>
            The subscription keeps version {version}, this plan and its prices when the provider offers others later.
          </p>
          <FormProblem error={subscribe.error} fields={['/pricingPlanId']} />
          <Button type="submit" loading={subscribe.isPending} disabled={applicationId === null || pricingPlanId === ''}>
            Subscribe
          </Button>
        </Form>
      )}
    </Modal>
  );
}
