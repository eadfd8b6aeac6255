import type { ServiceLimits } from '@kethub/contract';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';

const LABELS = {
  requestsPerMinute: 'Requests a minute',
  executionsPerDay: 'Executions a day',
  executionsPerMonth: 'Executions a month',
  executionsAtOnce: 'Executions at the same time',
} as const;
type Name = keyof typeof LABELS;
const NAMES = Object.keys(LABELS) as Name[];

/** Limits as numbers; an empty input is none. */
export function LimitsForm({
  present,
  hasAtOnce,
  request,
}: {
  readonly present: ServiceLimits;
  /** True if how many run at the same time is among them. */
  readonly hasAtOnce: boolean;
  readonly request: {
    readonly error: unknown;
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    mutate(limits: ServiceLimits): void;
  };
}) {
  const names = hasAtOnce ? NAMES : NAMES.filter((name) => name !== 'executionsAtOnce');
  const [texts, setTexts] = useState<Readonly<Record<Name, string>>>({
    requestsPerMinute: textOf(present.requestsPerMinute),
    executionsPerDay: textOf(present.executionsPerDay),
    executionsPerMonth: textOf(present.executionsPerMonth),
    executionsAtOnce: textOf(present.executionsAtOnce),
  });
  /** Texts of the last request. What was typed since then is not saved. */
  const [sent, setSent] = useState(texts);
  const wrong = names.filter((name) => !/^\s*(?:[1-9]\d{0,9})?\s*$/.test(texts[name]));
  return (
    <Form
      className="stack"
      request={request}
      onSubmit={() => {
        setSent(texts);
        request.mutate({
          requestsPerMinute: numberOf(texts.requestsPerMinute),
          executionsPerDay: numberOf(texts.executionsPerDay),
          executionsPerMonth: numberOf(texts.executionsPerMonth),
          executionsAtOnce: numberOf(texts.executionsAtOnce),
        });
      }}
    >
      <div className="fields">
        {names.map((name) => (
          <TextInput
            key={name}
            label={LABELS[name]}
            inputMode="numeric"
            placeholder="no limit here"
            value={texts[name]}
            error={wrong.includes(name) ? 'A whole number from 1, or nothing.' : complaintAt(request.error, `/${name}`)}
            onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
          />
        ))}
      </div>
      <FormProblem error={request.error} fields={names.map((name) => `/${name}`)} />
      <div className="row">
        <Button type="submit" loading={request.isPending} disabled={wrong.length > 0}>
          Save
        </Button>
        {request.isSuccess && texts === sent && (
          <span className="quiet small" role="status">
            Saved.
          </span>
        )}
      </div>
    </Form>
  );
}

function textOf(limit: number | null | undefined): string {
  return limit == null ? '' : String(limit);
}

function numberOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
