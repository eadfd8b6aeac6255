import { Button, FileInput, Modal, Radio, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { refsQuery } from '../../data/implementation-queries.ts';
import { ifMatch } from '../../data/tagged.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { Form } from '../../forms/form.tsx';
import { Problem } from '../../shell/problem.tsx';
import { readHead } from './begin-to-edit.ts';
import { below, useImplementationAddress, useWhere } from './use-implementation.ts';

/**
 * Uploads files as a commit: into the folder that the page shows, or a ZIP in the place of everything. If somebody has
 * pushed since the page showed its commit, both commits are shown before anything changes.
 */
export function Upload({
  head: shown,
  failure,
  onRetry,
  onClose,
}: {
  /** The commit that the page shows, empty if there is none. It is null until the folder is read. */
  readonly head: string | null;
  /** Error of the last attempt to read the folder. */
  readonly failure: unknown;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}) {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref, path } = useWhere();
  const queries = useQueryClient();
  const [head, setHead] = useState(shown);
  // A page that is renewed later does not change what the person has seen.
  if (head === null && shown !== null) setHead(shown);
  const refs = useQuery(refsQuery(acting, implementationId));
  const [files, setFiles] = useState<File[]>([]);
  const [message, setMessage] = useState('');
  const [how, setHow] = useState('add');
  const only = files.length === 1 ? files[0] : undefined;
  const isZip = only !== undefined && /\.zip$/i.test(only.name);
  const branch = ref ?? refs.data?.defaultBranch ?? '';
  const isBranch = refs.data === undefined || ref === null || refs.data.branches.some(({ name }) => name === ref);
  const commit = useMutation({
    mutationFn: (over: string | null) => {
      const body = new FormData();
      body.set(
        'message',
        message.trim() === '' ? `Upload ${files.length === 1 ? (only?.name ?? '') : `${files.length} files`}` : message,
      );
      body.set('branch', branch);
      if (isZip && how === 'replace') body.set('archive', only);
      else for (const file of files) body.append('files', file, below(path, file.name));
      return acting.platform.commitToImplementation({
        implementationId,
        body,
        headers: ifMatch(over === null ? null : `"${over}"`),
      });
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [acting.base, 'implementation', implementationId] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Upload files" lockScroll={false}>
      <Form className="stack" request={commit} onSubmit={() => commit.mutate(head)}>
        {!isBranch && (
          <p style={{ margin: 0 }}>{ref} is no branch. Choose a branch first: an upload adds a commit to it.</p>
        )}
        <FileInput
          label="Files"
          description={`They become a commit on ${branch}${path === '' ? '' : `, in ${path}`}. Files of the same name are replaced.`}
          multiple
          required
          value={files}
          onChange={setFiles}
        />
        {isZip && (
          <Radio.Group label="The ZIP" value={how} onChange={setHow}>
            <div className="stack" style={{ gap: 6, marginTop: 6 }}>
              <Radio value="add" label="is added as it is" />
              <Radio value="replace" label="becomes the whole content of the branch" />
            </div>
          </Radio.Group>
        )}
        <TextInput
          label="Message"
          maxLength={200}
          placeholder="What has changed, and why"
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        {head === null && (
          <p role="status" style={{ margin: 0 }}>
            Commit waits until the folder is read, so that it replaces nothing that you have not seen.
          </p>
        )}
        {head === null && failure !== null && <Problem error={failure} onRetry={onRetry} />}
        {commit.error && !isStale(commit.error) && <Problem error={commit.error} />}
        <Conflict
          error={commit.error}
          read={async () => ({ commit: await readHead(acting.platform, implementationId, branch) })}
          compare={(theirs) => [{ label: 'Last commit', mine: inWords(head), theirs: inWords(theirs.commit) }]}
          onMine={(theirs) => commit.mutate(theirs.commit)}
          onTheirs={onClose}
        >
          {() => (
            <p style={{ margin: 0 }}>
              {head !== null && head !== '' && (
                <>
                  <Link to={`${at}/compare`} search={{ base: head, head: branch }} target="_blank">
                    See what was pushed to {branch}
                  </Link>
                  .{' '}
                </>
              )}
              {isZip && how === 'replace'
                ? 'If you save yours, the ZIP replaces that too; it stays in the history.'
                : 'If you save yours, that stays, except files of the same names.'}
            </p>
          )}
        </Conflict>
        {!isStale(commit.error) && (
          <Button
            type="submit"
            loading={commit.isPending}
            disabled={files.length === 0 || !isBranch || branch === '' || head === null}
          >
            Commit
          </Button>
        )}
      </Form>
    </Modal>
  );
}

function inWords(commit: string | null): string {
  return commit === null || commit === '' ? 'none' : commit.slice(0, 8);
}
