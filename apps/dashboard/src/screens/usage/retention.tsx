import type { StorageUsage } from '@kethub/contract';
import { Button, Modal, NativeSelect, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { servicesQuery } from '../../data/queries.ts';
import { storageQuery } from '../../data/usage-queries.ts';
import { Form } from '../../forms/form.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { shortId } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';

interface Rule {
  readonly serviceId: string;
  readonly keepDays: string;
}

/** Days that the platform takes. */
const MOST_DAYS = 36_500;

/** Chooses how long results, result files and logs are kept: of everything, and of single services. */
export function Retention({ usage, onClose }: { readonly usage: StorageUsage; readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const services = useInfiniteQuery(servicesQuery(acting));
  useEveryPage(services);
  const names = new Map((services.data?.pages.flat() ?? []).map(({ id, name }) => [id, name]));
  const [hasLimit, setHasLimit] = useState(usage.retention.keepDays !== null);
  const [days, setDays] = useState(String(usage.retention.keepDays ?? 30));
  const [rules, setRules] = useState<readonly Rule[]>(
    usage.retention.services.map(({ serviceId, keepDays }) => ({ serviceId, keepDays: String(keepDays) })),
  );
  const isRight = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= MOST_DAYS;
  const isComplete = (!hasLimit || isRight(days)) && rules.every(({ keepDays }) => isRight(keepDays));
  const others = [...names].filter(([id]) => !rules.some(({ serviceId }) => serviceId === id));
  const change = useMutation({
    mutationFn: () =>
      acting.platform.setRetention({
        json: {
          keepDays: hasLimit ? Number(days) : null,
          services: rules.map(({ serviceId, keepDays }) => ({ serviceId, keepDays: Number(keepDays) })),
        },
      }),
    onSuccess(saved) {
      queries.setQueryData(storageQuery(acting).queryKey, saved);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="How long results are kept" size="lg" lockScroll={false}>
      <Form className="stack" request={change} onSubmit={() => change.mutate()}>
        <p style={{ margin: 0 }}>
          {usage.keepDays === null
            ? 'The platform keeps results, result files and logs for good.'
            : `The platform keeps results, result files and logs for ${usage.keepDays} days after the end.`}{' '}
          A shorter time frees storage. What is older is deleted within an hour, and nothing brings it back.
        </p>
        <div className="row" style={{ alignItems: 'end' }}>
          <NativeSelect
            label="Of everything"
            data={[
              { value: 'no', label: 'as long as the platform keeps it' },
              { value: 'yes', label: 'for some days' },
            ]}
            value={hasLimit ? 'yes' : 'no'}
            onChange={(event) => setHasLimit(event.currentTarget.value === 'yes')}
          />
          {hasLimit && <DaysField label="Days" value={days} isRight={isRight(days)} onChange={setDays} />}
        </div>
        {rules.map((rule, index) => (
          <div key={rule.serviceId} className="row apart">
            <strong>{names.get(rule.serviceId) ?? shortId(rule.serviceId)}</strong>
            <div className="row" style={{ alignItems: 'end' }}>
              <DaysField
                label="Days"
                value={rule.keepDays}
                isRight={isRight(rule.keepDays)}
                onChange={(keepDays) => setRules(rules.with(index, { ...rule, keepDays }))}
              />
              <Button variant="default" onClick={() => setRules(rules.toSpliced(index, 1))}>
                Remove
              </Button>
            </div>
          </div>
        ))}
        {others.length > 0 && (
          <Select
            label="A shorter time for one service"
            placeholder="Choose a service"
            searchable
            openOnFocus={false}
            data={others.map(([value, label]) => ({ value, label }))}
            value={null}
            onChange={(serviceId) => serviceId !== null && setRules([...rules, { serviceId, keepDays: '7' }])}
          />
        )}
        {change.error && <Problem error={change.error} />}
        <Button type="submit" loading={change.isPending} disabled={!isComplete}>
          Save
        </Button>
      </Form>
    </Modal>
  );
}

function DaysField({
  label,
  value,
  isRight,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly isRight: boolean;
  readonly onChange: (value: string) => void;
}) {
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      value={value}
      error={isRight ? undefined : 'A number of days from 1 on.'}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      style={{ width: 120 }}
    />
  );
}
