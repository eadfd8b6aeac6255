import { KethubError } from '@kethub/client';
import type { RuntimeConfiguration, ServiceVersion } from '@kethub/contract';
import { Button, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ifMatch, tagged, type Tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { useDraft } from '../../forms/draft.ts';
import { Form } from '../../forms/form.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { complaintsOf, configurationOf, differencesOf, draftOf, PYTHONS, type Draft } from './configuration.ts';
import { EnvironmentForm } from './environment-form.tsx';
import { useServiceAddress } from './use-service.ts';

/** Changes the configuration of a draft. Somebody else's change in the meantime is not overwritten. */
export function ConfigurationForm({
  version,
  begun: { value, etag },
}: {
  readonly version: string;
  readonly begun: Tagged<ServiceVersion>;
}) {
  const { acting, serviceId, at } = useServiceAddress();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const {
    seen: base,
    draft,
    setDraft,
    show,
  } = useDraft<Partial<RuntimeConfiguration>, Draft>({ value: value.configuration ?? {}, etag }, (read) =>
    draftOf(read.value),
  );
  const [own, setOwn] = useState<ReadonlyMap<string, string>>(new Map());
  const set = <Name extends keyof Draft>(name: Name, value: Draft[Name]): void => setDraft({ ...draft, [name]: value });
  const change = useMutation({
    mutationFn: (over: Tagged<Partial<RuntimeConfiguration>>) =>
      acting.platform.configureServiceVersion({
        serviceId,
        version,
        json: configurationOf(over.value, draft),
        headers: ifMatch(over.etag),
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] });
      await navigate({ to: `${at}/versions` });
    },
  });
  const complaints = own.size > 0 ? own : pointersOf(change.error);
  const hostComplaints = [...complaints].filter(([pointer]) => pointer.startsWith('/hosts'));
  const shown = ['/cpus', '/memoryGb', '/runTimeSeconds', '/python', '/environment', '/warmPods'];
  const atFields = [...complaints.keys()].filter(
    (pointer) => shown.includes(pointer) || pointer.startsWith('/hosts') || pointer.startsWith('/environment/'),
  );
  const number = (name: 'cpus' | 'memoryGb' | 'runTimeSeconds' | 'warmPods') => ({
    value: draft[name],
    inputMode: 'decimal' as const,
    error: complaints.get(`/${name}`),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => set(name, event.currentTarget.value),
  });
  return (
    <Form
      className="panel stack"
      aria-label="Configuration"
      request={change}
      onSubmit={() => {
        const found = complaintsOf(draft);
        setOwn(found);
        if (found.size === 0) change.mutate(base);
      }}
    >
      <div className="fields">
        <TextInput label="CPU cores" required {...number('cpus')} />
        <TextInput label="Memory in GB" required {...number('memoryGb')} />
        <TextInput label="Run time at most, in seconds" required {...number('runTimeSeconds')} />
        {base.value.runtime !== 'DOCKER' && (
          <Select
            label="Python"
            placeholder="As the source asks"
            clearable
            data={[...PYTHONS]}
            value={draft.python}
            error={complaints.get('/python')}
            onChange={(python) => set('python', python)}
          />
        )}
      </div>
      <EnvironmentForm
        variables={draft.variables}
        complaints={complaints}
        onChange={(variables) => set('variables', variables)}
      />
      <Textarea
        label="Hosts it may call"
        description="One a line, with or without a port. Nothing else can be reached, and subscribers see this list."
        placeholder="api.example.org"
        autosize
        minRows={2}
        value={draft.hosts}
        error={hostComplaints.length === 0 ? undefined : hostComplaints.map(([, detail]) => detail).join(' · ')}
        onChange={(event) => set('hosts', event.currentTarget.value)}
      />
      <Switch
        label="Provider access tokens as environment variables"
        description="Each execution has the tokens of the owner of the service."
        checked={draft.providerAccessTokens}
        onChange={(event) => set('providerAccessTokens', event.currentTarget.checked)}
      />
      {base.value.runtime !== 'DOCKER' && (
        <>
          <Switch
            label="Build packages that exist as source code only"
            checked={draft.sourcePackages}
            onChange={(event) => set('sourcePackages', event.currentTarget.checked)}
          />
          <Switch
            label="Start the program before it is asked for"
            description="Executions begin sooner. Switch it off if importing the program has effects."
            checked={draft.warmStart}
            onChange={(event) => set('warmStart', event.currentTarget.checked)}
          />
          <TextInput
            label="Pods that wait for executions"
            description="On each worker with a Kubernetes cluster, as far as its operator allows. They go when no execution came for 15 minutes."
            {...number('warmPods')}
          />
        </>
      )}
      <FormProblem error={change.error} fields={atFields} />
      <Conflict
        error={change.error}
        read={async () => {
          const { value, etag } = await tagged<ServiceVersion>(
            acting.platform.getServiceVersion.response({ serviceId, version }),
          );
          return { value: value.configuration ?? {}, etag };
        }}
        compare={({ value }) => differencesOf(draft, draftOf(value))}
        onMine={(theirs) => change.mutate(theirs)}
        onTheirs={(theirs) => {
          show(theirs);
          change.reset();
        }}
      />
      <div className="row">
        <Button type="submit" loading={change.isPending} disabled={isStale(change.error)}>
          Save
        </Button>
        <span className="quiet small">The draft is built anew where that depends on a change.</span>
      </div>
    </Form>
  );
}

function pointersOf(error: unknown): ReadonlyMap<string, string> {
  return new Map(error instanceof KethubError ? error.errors.map(({ pointer, detail }) => [pointer, detail]) : []);
}
