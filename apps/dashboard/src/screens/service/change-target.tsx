import type { ServiceVersion } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ifMatch, tagged, type Tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { useDraft } from '../../forms/draft.ts';
import { Form } from '../../forms/form.tsx';
import { FormProblem } from '../../forms/problem-at.tsx';
import { emptyTarget, TargetFields, targetOf, targetPointers, type TargetDraft } from './target-fields.tsx';
import { useServiceAddress } from './use-service.ts';

/** Changes where a version of an on-premise service runs. It can move after the publication as well. */
export function ChangeTarget({ version, begun }: { readonly version: string; readonly begun: Tagged<ServiceVersion> }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const { seen, draft, setDraft, isSaved, show, saved } = useDraft(begun, draftOf);
  const change = useMutation({
    mutationFn: (over: string | null) =>
      tagged<ServiceVersion>(
        acting.platform.setTarget.response({ serviceId, version, json: targetOf(draft), headers: ifMatch(over) }),
      ),
    async onSuccess(read) {
      saved(read);
      await queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] });
    },
  });
  return (
    <Form className="panel stack" aria-label="Where it runs" request={change} onSubmit={() => change.mutate(seen.etag)}>
      <TargetFields
        draft={draft}
        onChange={setDraft}
        error={change.error}
        at=""
        hasCredentials={seen.value.target?.hasCredentials ?? false}
      />
      <FormProblem error={change.error} fields={targetPointers('')} />
      <Conflict
        error={change.error}
        read={() => tagged<ServiceVersion>(acting.platform.getServiceVersion.response({ serviceId, version }))}
        compare={({ value: { target } }) => [
          { label: 'Address', mine: draft.url, theirs: target?.url ?? '' },
          {
            label: 'Longest wait in seconds',
            mine: draft.timeoutSeconds,
            theirs: target === undefined ? '' : String(target.timeoutSeconds),
          },
          {
            label: 'Credentials',
            mine: draft.changesCredentials ? 'new ones' : 'as they are',
            theirs: target?.hasCredentials === true ? 'there are some' : 'none',
          },
        ]}
        onMine={(theirs) => change.mutate(theirs.etag)}
        onTheirs={(theirs) => {
          show(theirs);
          change.reset();
        }}
      />
      <div className="row">
        <Button type="submit" loading={change.isPending} disabled={isStale(change.error)}>
          Save
        </Button>
        {change.isSuccess && isSaved && (
          <span className="quiet small" role="status">
            Saved.
          </span>
        )}
      </div>
    </Form>
  );
}

/** The target as its form begins. The password of the gateway is never shown. */
function draftOf({ value: { target } }: Tagged<ServiceVersion>): TargetDraft {
  return {
    ...emptyTarget,
    url: target?.url ?? '',
    timeoutSeconds: String(target?.timeoutSeconds ?? emptyTarget.timeoutSeconds),
    changesCredentials: !target?.hasCredentials,
  };
}
