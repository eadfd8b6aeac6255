import { Button, Checkbox, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useActing, isEnough } from '../../data/context.tsx';
import { implementationQuery, implementationsQuery, importQuery } from '../../data/implementation-queries.ts';
import { Form } from '../../forms/form.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { State, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useImplementationAddress } from './use-implementation.ts';

/** Credential as it is sent; nothing without a password. */
function credentialOf(username: string, password: string) {
  if (password === '') return {};
  return { credential: { password, ...(username.trim() !== '' && { username: username.trim() }) } };
}

function CredentialFields({
  username,
  password,
  onUsername,
  onPassword,
  error,
}: {
  readonly username: string;
  readonly password: string;
  readonly onUsername: (value: string) => void;
  readonly onPassword: (value: string) => void;
  readonly error: unknown;
}) {
  return (
    <>
      <TextInput
        label="User name there"
        description="Most tokens work with any name."
        autoComplete="off"
        maxLength={100}
        value={username}
        error={complaintAt(error, '/credential/username')}
        onChange={(event) => onUsername(event.currentTarget.value)}
      />
      <PasswordInput
        label="Token or password there"
        description="Only for a private repository. It is kept sealed and never shown, and erased at the end of an import."
        autoComplete="off"
        value={password}
        error={complaintAt(error, '/credential/password')}
        onChange={(event) => onPassword(event.currentTarget.value)}
      />
    </>
  );
}

const FIELDS = ['/url', '/name', '/credential/username', '/credential/password'];

/** Makes an implementation of a repository on another server. */
export function Import({ onClose }: { readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [isMirror, setMirror] = useState(false);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const key = useRef(crypto.randomUUID());
  const suggested = (/([^/]+?)(?:\.git)?\/*$/.exec(url.trim())?.[1] ?? '').toLowerCase();
  const begin = useMutation({
    mutationFn: () =>
      acting.platform.importImplementation({
        json: {
          url: url.trim(),
          name: name.trim() === '' ? suggested : name.trim(),
          mirror: isMirror,
          ...credentialOf(username, password),
        },
        headers: { 'idempotency-key': key.current },
      }),
    async onSuccess({ implementationId }) {
      await queries.invalidateQueries({ queryKey: implementationsQuery(acting).queryKey });
      await navigate({ to: `${acting.base}/implementations/${implementationId}` });
    },
    onError() {
      key.current = crypto.randomUUID();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Import a repository" lockScroll={false}>
      <Form className="stack" request={begin} onSubmit={() => begin.mutate()}>
        <TextInput
          label="Address"
          description="The address of a Git repository, such as https://example.org/lab/solver.git. Only https."
          required
          data-autofocus
          value={url}
          error={complaintAt(begin.error, '/url')}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <TextInput
          label="Name here"
          placeholder={suggested}
          maxLength={100}
          value={name}
          error={complaintAt(begin.error, '/name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox
          label="Mirror: follow it every hour. Nobody can push here then."
          checked={isMirror}
          onChange={(event) => setMirror(event.currentTarget.checked)}
        />
        <CredentialFields
          username={username}
          password={password}
          onUsername={setUsername}
          onPassword={setPassword}
          error={begin.error}
        />
        <FormProblem error={begin.error} fields={FIELDS} />
        <Button type="submit" loading={begin.isPending} disabled={url.trim() === ''}>
          Import
        </Button>
      </Form>
    </Modal>
  );
}

/** Progress of the import of the page's implementation, with its actions. Nothing if it was not imported. */
export function ImportPanel() {
  const { acting, implementationId } = useImplementationAddress();
  const queries = useQueryClient();
  const {
    role = 'VIEWER',
    readOnly = null,
    head = null,
  } = useQuery(implementationQuery(acting, implementationId)).data?.value ?? {};
  const found = useQuery({
    ...importQuery(acting, implementationId),
    // An import that has filled the repository leaves nothing to do.
    enabled: (readOnly !== null || head === null) && isEnough(role, 'implementation-import:read'),
  });
  const state = found.data?.state;
  const renew = () => queries.invalidateQueries({ queryKey: [acting.base, 'implementation', implementationId] });
  const before = useRef(state);
  useEffect(() => {
    const isOver = before.current !== undefined && before.current !== state && state !== 'RUNNING';
    before.current = state;
    if (isOver) void renew();
  }, [state]);
  const [isAgain, setAgain] = useState(false);
  const end = useMutation({
    mutationFn: () => acting.platform.endImplementationImport({ implementationId }),
    onSuccess: renew,
  });
  if (!found.data) return found.error ? <Problem error={found.error} /> : null;
  const { url, mirror, progress, problem, failures, endedAt, nextAt } = found.data;
  const isRunning = state === 'PENDING' || state === 'RUNNING';
  const mayChange = isEnough(role, 'implementation-import:change');
  return (
    <section className="panel stack" aria-labelledby="import">
      <div className="row apart">
        <h2 id="import">{mirror ? 'Mirror' : 'Import'}</h2>
        <State of={found.data.state} />
      </div>
      <div style={{ overflowWrap: 'anywhere' }}>
        {mirror ? 'Follows' : 'Comes from'} <code>{url}</code>
      </div>
      <div role="status">
        {isRunning && (progress ?? 'It begins in a moment.')}
        {!isRunning && endedAt !== undefined && (
          <span className="quiet">
            Last run <Time at={endedAt} />
            {nextAt !== undefined && (
              <>
                , next <Time at={nextAt} />
              </>
            )}
          </span>
        )}
      </div>
      {problem !== null && (
        <div role="alert" style={{ color: 'var(--failed)', overflowWrap: 'anywhere' }}>
          {problem}
          {failures > 1 && ` It has failed ${failures} times in a row.`}
        </div>
      )}
      {mirror && !isRunning && nextAt === undefined && (
        <div>
          The mirror is off, and its credential is erased. Run it now to turn it on again; if the server asks for a
          credential, type it there.
        </div>
      )}
      {end.error && <Problem error={end.error} />}
      {mayChange && (
        <div className="row">
          {!isRunning && (
            <Button size="xs" variant="default" onClick={() => setAgain(true)}>
              {mirror ? 'Run it now' : 'Run it again'}
            </Button>
          )}
          {(mirror || isRunning) && (
            <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate()}>
              {mirror ? 'End the mirror' : 'Break it off'}
            </Button>
          )}
        </div>
      )}
      {isAgain && <Again onClose={() => setAgain(false)} onDone={renew} />}
    </section>
  );
}

function Again({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => Promise<void> }) {
  const { acting, implementationId } = useImplementationAddress();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const restart = useMutation({
    mutationFn: () =>
      acting.platform.restartImplementationImport({ implementationId, json: credentialOf(username, password) }),
    async onSuccess() {
      await onDone();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Run it again" lockScroll={false}>
      <Form className="stack" request={restart} onSubmit={() => restart.mutate()}>
        <CredentialFields
          username={username}
          password={password}
          onUsername={setUsername}
          onPassword={setPassword}
          error={restart.error}
        />
        <FormProblem error={restart.error} fields={FIELDS} />
        <Button type="submit" loading={restart.isPending}>
          Run it
        </Button>
      </Form>
    </Modal>
  );
}
