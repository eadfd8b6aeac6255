import { KethubError } from '@kethub/client';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { formQuery, isMissing } from '../../data/form-query.ts';
import { implementationQuery } from '../../data/implementation-queries.ts';
import { ifMatch } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { roleInWords } from '../../look/roles.ts';
import { Problem } from '../../shell/problem.tsx';
import { beginToEdit, readEntry, readFileNow, type Begun } from './begin-to-edit.ts';
import { commitForm } from './commit-form.ts';
import { lineEndsOf, withLineEnds } from './line-ends.ts';
import { searchOf, useImplementationAddress, useWhere } from './use-implementation.ts';

/** Edits or renames the file in the address, or makes a new one in the folder that `folder` names. */
export function EditPage() {
  const { acting, implementationId } = useImplementationAddress();
  const { ref, path } = useWhere();
  const { folder } = useSearch({ strict: false }) as { folder?: unknown };
  const inside = typeof folder === 'string' && folder !== '' ? `${folder}/` : '';
  const asked = path === '' ? inside : path;
  const begun = useQuery(
    formQuery([acting.base, 'implementation', implementationId, 'file', ref, asked], (signal) =>
      beginToEdit(acting.platform, implementationId, { ref, path: asked }, signal),
    ),
  );
  const { role = 'VIEWER', readOnly = null } =
    useQuery(implementationQuery(acting, implementationId)).data?.value ?? {};
  if (!isEnough(role, 'implementation:push') || readOnly !== null)
    return (
      <div className="panel quiet">
        {readOnly === null
          ? `Your role is ${roleInWords(role)}: only a maintainer or an owner changes files.`
          : 'Nobody changes files here: the repository is imported, or follows another one.'}
      </div>
    );
  if (isMissing(begun)) return <Problem error={begun.error} onRetry={() => void begun.refetch()} />;
  if (!begun.data) return <div className="panel quiet">Loading…</div>;
  if (typeof begun.data === 'string') return <div className="panel quiet">{begun.data}</div>;
  return <Editor key={`${implementationId} ${ref} ${asked}`} begun={begun.data} />;
}

function Editor({ begun: given }: { readonly begun: Begun }) {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref } = useWhere();
  const queries = useQueryClient();
  const navigate = useNavigate();
  // A commit of somebody else meanwhile must not change what this person began with.
  const [begun, setBegun] = useState(given);
  const { branch } = begun;
  const [path, setPath] = useState(begun.path);
  const [text, setText] = useState(begun.text);
  const [message, setMessage] = useState('');
  const [isSaved, setSaved] = useState(false);
  const isChanged = text !== begun.text || path !== begun.path;
  useBlocker({
    shouldBlockFn: () => isChanged && !isSaved && !globalThis.confirm('Leave without committing what you typed?'),
    enableBeforeUnload: () => isChanged && !isSaved,
  });
  const now = () => readFileNow(acting.platform, implementationId, branch, begun.path);
  const suggested =
    begun.id === null ? `Add ${path}` : path === begun.path ? `Change ${path}` : `Rename ${begun.path} to ${path}`;
  const commit = useMutation({
    mutationFn: async (from: Begun) => {
      const target = path.trim();
      if (target !== from.path && from.head !== null && (await entryAt(target, from.head)))
        throw new KethubError({
          code: 'conflict',
          status: 409,
          title: 'There is a file of this name',
          detail: `${branch} has ${target} already. Choose another name.`,
        });
      const content = new Blob([withLineEnds(text, lineEndsOf(from.text))]);
      const removed = from.id !== null && target !== from.path ? [from.path] : [];
      const body = commitForm({
        branch,
        message: message.trim() === '' ? suggested : message,
        removed,
        files: [{ path: target, content }],
      });
      const ask = (head: string | null) =>
        acting.platform.commitToImplementation({ implementationId, body, headers: ifMatch(head && `"${head}"`) });
      try {
        return await ask(from.head);
      } catch (error) {
        // Others have pushed, but not to this file: the commit follows theirs.
        if (!isStale(error)) throw error;
        const there = await now();
        const isTaken = target !== from.path && there.head !== null && (await entryAt(target, there.head));
        if (there.id !== from.id || isTaken) throw error;
        return ask(there.head);
      }
    },
    async onSuccess() {
      setSaved(true);
      await queries.invalidateQueries({ queryKey: [acting.base, 'implementation', implementationId] });
      await navigate({ to: `${at}/file`, search: searchOf({ ref, path: path.trim() }), ignoreBlocker: true });
    },
  });
  const entryAt = async (target: string, commitId: string) =>
    (await readEntry(acting.platform, implementationId, commitId, target)) !== null;
  return (
    <Form className="stack" request={commit} onSubmit={() => commit.mutate(begun)}>
      <h2>{begun.id === null ? 'New file' : `Edit ${begun.path}`}</h2>
      <TextInput
        label="Path"
        description="Names with slashes between; folders are made as needed. Another path renames the file."
        required
        maxLength={4_096}
        value={path}
        error={complaintAt(commit.error, '/files')}
        onChange={(event) => setPath(event.currentTarget.value)}
      />
      <Textarea
        label="Text"
        autosize
        minRows={12}
        maxRows={30}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', whiteSpace: 'pre', overflow: 'auto' } }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <TextInput
        label="Message"
        maxLength={200}
        placeholder={suggested}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
      {isStale(commit.error) ? (
        <Conflict
          error={commit.error}
          read={now}
          compare={(theirs) => [{ label: begun.path, mine: text, theirs: theirs.id === null ? '' : theirs.text }]}
          onMine={(theirs) => {
            setBegun(theirs);
            commit.mutate(theirs);
          }}
          onTheirs={(theirs) => {
            setBegun(theirs);
            setText(theirs.text);
            commit.reset();
          }}
        />
      ) : (
        <FormProblem error={commit.error} fields={['/files']} />
      )}
      <div className="row">
        <Button type="submit" loading={commit.isPending} disabled={!isChanged || path.trim() === ''}>
          Commit to {branch}
        </Button>
      </div>
    </Form>
  );
}
