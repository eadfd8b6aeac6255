import { KethubError } from '@kethub/client';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import {
  fileQuery,
  implementationQuery,
  refsQuery,
  SHOWN_BYTES,
  treeQuery,
} from '../../data/implementation-queries.ts';
import { ifMatch } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { roleInWords } from '../../look/roles.ts';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { commitForm, useBranch } from './commit-form.ts';
import { lineEndsOf, withLineEnds } from './line-ends.ts';
import { searchOf, useImplementationAddress, useWhere } from './use-implementation.ts';
import { useText } from './use-text.ts';

/** A file of a branch as somebody began to edit it; `id` is null for one that is not there yet. */
interface Begun {
  readonly head: string | null;
  readonly path: string;
  readonly id: string | null;
  readonly text: string;
}

/** Edits or renames the file in the address, or makes a new one in the folder that `folder` names. */
export function EditPage() {
  const { acting, implementationId } = useImplementationAddress();
  const { ref, path } = useWhere();
  const { folder } = useSearch({ strict: false }) as { folder?: unknown };
  const isNew = path === '';
  const inside = typeof folder === 'string' ? folder : '';
  const refs = useQuery(refsQuery(acting, implementationId));
  const isEmpty = refs.data?.head === null && ref === null;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const parent = isNew ? inside : path.slice(0, -name.length - 1);
  const tree = useQuery({
    ...treeQuery(acting, implementationId, { ref, path: parent }),
    enabled: refs.isSuccess && !isEmpty,
  });
  const entry = isNew ? undefined : tree.data?.entries.find((one) => one.name === name && one.type === 'FILE');
  const isShort = (entry?.bytes ?? Infinity) <= SHOWN_BYTES;
  const file = useQuery({ ...fileQuery(acting, implementationId, { ref, path }), enabled: isShort });
  const text = useText(file.data);
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
  const error = refs.error ?? tree.error ?? file.error;
  if (error) return <Problem error={error} />;
  if (refs.data && ref !== null && !refs.data.branches.some((one) => one.name === ref))
    return <div className="panel quiet">{ref} is no branch. Choose a branch first: a change adds a commit to it.</div>;
  if (isNew && (isEmpty || tree.data))
    return (
      <Editor
        begun={{ head: tree.data?.commit ?? null, path: inside === '' ? '' : `${inside}/`, id: null, text: '' }}
      />
    );
  if (tree.data && !entry) return <div className="panel quiet">There is no file of this name here.</div>;
  if (entry && !isShort)
    return <div className="panel quiet">Files of more than {bytes(SHOWN_BYTES)} are not edited here. Use Git.</div>;
  if (!tree.data || !entry || text === undefined) return <div className="panel quiet">Loading…</div>;
  if (text === null || lineEndsOf(text) === 'MIXED')
    return (
      <div className="panel quiet">
        {text === null ? 'It is no text in UTF-8.' : 'Its lines end in different ways, which a browser does not keep.'}{' '}
        Use Git to change it.
      </div>
    );
  return <Editor begun={{ head: tree.data.commit, path, id: entry.id, text }} />;
}

function Editor({ begun: given }: { readonly begun: Begun }) {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref } = useWhere();
  const branch = useBranch();
  const queries = useQueryClient();
  const navigate = useNavigate();
  // A commit of somebody else meanwhile must not change what this person began with.
  const [begun, setBegun] = useState(given);
  const [path, setPath] = useState(begun.path);
  const [text, setText] = useState(begun.text);
  const [message, setMessage] = useState('');
  const [isSaved, setSaved] = useState(false);
  const isChanged = text !== begun.text || path !== begun.path;
  useBlocker({
    shouldBlockFn: () => isChanged && !isSaved && !globalThis.confirm('Leave without committing what you typed?'),
    enableBeforeUnload: () => isChanged && !isSaved,
  });
  const now = () => readNow(acting.platform, implementationId, branch, begun.path);
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
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        commit.mutate(begun);
      }}
    >
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
        <Button type="submit" loading={commit.isPending} disabled={!isChanged || path.trim() === '' || branch === ''}>
          Commit to {branch}
        </Button>
      </div>
    </form>
  );
}

type Platform = ReturnType<typeof useImplementationAddress>['acting']['platform'];

/** The entry at a path in a commit or branch; null where there is none. */
async function readEntry(platform: Platform, implementationId: string, ref: string, path: string) {
  const parent = path.split('/').slice(0, -1).join('/');
  try {
    const tree = await platform.readImplementationTree({
      implementationId,
      ref,
      ...(parent !== '' && { path: parent }),
    });
    const entry = tree.entries.find((one) => one.name === path.slice(path.lastIndexOf('/') + 1));
    return entry ? { head: tree.commit, id: entry.id } : null;
  } catch (error) {
    if (error instanceof KethubError && error.status === 404) return null;
    throw error;
  }
}

/** The file as it is on the branch now. */
async function readNow(platform: Platform, implementationId: string, branch: string, path: string): Promise<Begun> {
  const refs = await platform.listImplementationRefs({ implementationId });
  const head = refs.branches.find(({ name }) => name === branch)?.commit ?? null;
  const entry = head === null || path.endsWith('/') ? null : await readEntry(platform, implementationId, head, path);
  if (head === null || !entry) return { head, path, id: null, text: '' };
  const content = await platform.readImplementationFile({ implementationId, ref: head, path });
  return { head, path, id: entry.id, text: await content.text() };
}
