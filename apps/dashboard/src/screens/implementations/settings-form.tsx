import type { Implementation } from '@kethub/contract';
import { Button, Checkbox, Select, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formQuery, isMissing } from '../../data/form-query.ts';
import { implementationsQuery, refsQuery } from '../../data/implementation-queries.ts';
import { ifMatch, tagged, type Tagged } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { useDraft } from '../../forms/draft.ts';
import { Form } from '../../forms/form.tsx';
import { DescriptionField, NameField } from '../../forms/name-fields.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useImplementationAddress } from './use-implementation.ts';

const VISIBILITIES = [
  { value: 'PRIVATE', label: 'Private: owner and members' },
  { value: 'PUBLIC', label: 'Public: anybody can read and clone it, also without an account' },
];
const FIELDS = ['/name', '/description', '/defaultBranch', '/protection/patterns'];

/** Reads the settings of an implementation, and changes them. */
export function SettingsForm() {
  const { acting, implementationId } = useImplementationAddress();
  const begun = useQuery(
    formQuery([acting.base, 'implementation', implementationId, 'settings'], (signal) =>
      tagged<Implementation>(acting.platform.getImplementation.response({ implementationId, signal })),
    ),
  );
  if (isMissing(begun)) return <Problem error={begun.error} onRetry={() => void begun.refetch()} />;
  if (!begun.data) return <div className="panel quiet">Loading…</div>;
  return <Fields begun={begun.data} />;
}

/** Name, description, visibility, default branch and protected branches of an implementation. */
function Fields({ begun }: { readonly begun: Tagged<Implementation> }) {
  const { acting, implementationId } = useImplementationAddress();
  const queries = useQueryClient();
  const refs = useQuery(refsQuery(acting, implementationId));
  const { seen, draft, setDraft, isSaved, show, saved } = useDraft(begun, draftOf);
  const { name, description, visibility, defaultBranch, protectsDefault, patterns } = draft;
  const set = (changed: Partial<Draft>): void => setDraft({ ...draft, ...changed });
  const wanted = linesOf(patterns);
  const change = useMutation({
    mutationFn: (over: string | null) =>
      tagged<Implementation>(
        acting.platform.updateImplementation.response({
          implementationId,
          json: {
            name: draft.name.trim(),
            description: draft.description,
            visibility: draft.visibility === 'PUBLIC' ? 'PUBLIC' : 'PRIVATE',
            defaultBranch: draft.defaultBranch,
            protection: { defaultBranch: draft.protectsDefault, patterns: wanted },
          },
          headers: ifMatch(over),
        }),
      ),
    async onSuccess(read) {
      saved(read);
      await queries.invalidateQueries({ queryKey: [acting.base, 'implementation', implementationId] });
      await queries.invalidateQueries({ queryKey: implementationsQuery(acting).queryKey });
    },
  });
  const branches = new Set([...(refs.data?.branches.map((one) => one.name) ?? []), seen.value.defaultBranch]);
  const words = (one: string): string => VISIBILITIES.find((known) => known.value === one)?.label ?? one;
  return (
    <Form className="panel stack" request={change} onSubmit={() => change.mutate(seen.etag)}>
      <NameField
        hint="After a change the old address still answers."
        value={name}
        error={change.error}
        onChange={(name) => set({ name })}
      />
      <DescriptionField value={description} error={change.error} onChange={(description) => set({ description })} />
      <Select
        label="Visibility"
        data={VISIBILITIES}
        allowDeselect={false}
        value={visibility}
        onChange={(chosen) => set({ visibility: chosen ?? 'PRIVATE' })}
      />
      <Select
        label="Default branch"
        searchable
        limit={200}
        data={[...branches]}
        allowDeselect={false}
        value={defaultBranch}
        error={complaintAt(change.error, '/defaultBranch')}
        onChange={(chosen) => set({ defaultBranch: chosen ?? defaultBranch })}
      />
      <Checkbox
        label="Protect the default branch: no push deletes or rewrites it"
        checked={protectsDefault}
        onChange={(event) => set({ protectsDefault: event.currentTarget.checked })}
      />
      <Textarea
        label="Other protected branches"
        description="One name in a line; * stands for any text, as in release/*."
        autosize
        minRows={1}
        value={patterns}
        error={wanted.map((_, index) => complaintAt(change.error, `/protection/patterns/${index}`)).find(Boolean)}
        onChange={(event) => set({ patterns: event.currentTarget.value })}
      />
      {isStale(change.error) ? (
        <Conflict
          error={change.error}
          read={() => tagged<Implementation>(acting.platform.getImplementation.response({ implementationId }))}
          compare={({ value: theirs }) => [
            { label: 'Name', mine: name, theirs: theirs.name },
            { label: 'Description', mine: description, theirs: theirs.description },
            { label: 'Visibility', mine: words(visibility), theirs: words(theirs.visibility) },
            { label: 'Default branch', mine: defaultBranch, theirs: theirs.defaultBranch },
            {
              label: 'Protected',
              mine: [...(protectsDefault ? ['default branch'] : []), ...wanted].join(', '),
              theirs: [
                ...(theirs.protection.defaultBranch ? ['default branch'] : []),
                ...theirs.protection.patterns,
              ].join(', '),
            },
          ]}
          onMine={(theirs) => change.mutate(theirs.etag)}
          onTheirs={(theirs) => {
            show(theirs);
            change.reset();
          }}
        />
      ) : (
        <FormProblem
          error={change.error}
          fields={[...FIELDS, ...wanted.map((_, index) => `/protection/patterns/${index}`)]}
        />
      )}
      <div className="row">
        <Button type="submit" loading={change.isPending} disabled={name.trim() === ''}>
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

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly visibility: string;
  readonly defaultBranch: string;
  readonly protectsDefault: boolean;
  /** One pattern in a line. */
  readonly patterns: string;
}

function draftOf({
  value: { name, description, visibility, defaultBranch, protection },
}: Tagged<Implementation>): Draft {
  return {
    name,
    description,
    visibility,
    defaultBranch,
    protectsDefault: protection.defaultBranch,
    patterns: protection.patterns.join('\n'),
  };
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
