import { KethubError } from '@kethub/client';
import type { Registration } from '@kethub/contract';
import { Button, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import type { Platform } from '../../data/client.ts';
import { ifMatch, tagged } from '../../data/tagged.ts';
import { registrationsQuery } from '../../data/usage-queries.ts';
import { Conflict, isStale } from '../../forms/conflict.tsx';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { More } from '../../look/more.tsx';
import { PageHead, State, TableHead, Time } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { Installation } from './installation.tsx';
import { SigningKeys } from './signing-keys.tsx';

type Status = Registration['status'];
const STATUSES: Readonly<Record<Status, string>> = {
  PENDING: 'Waiting for approval',
  APPROVED: 'Approved',
  REJECTED: 'Rejected',
};

/** Registrations, the state of the installation and signing keys, for administrators of the platform. Status and address stand in the address bar. */
export function Administration() {
  useTitle('Administration');
  const acting = useActing();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { status?: unknown; email?: unknown };
  const status = (Object.keys(STATUSES) as Status[]).find((one) => one === search.status);
  const email = typeof search.email === 'string' ? search.email : '';
  const [typed, setTyped] = useState(email);
  const filter = { ...(status && { status }), ...(email !== '' && { email }) };
  const registrations = useInfiniteQuery(registrationsQuery(acting, filter));
  const rows = registrations.data?.pages.flatMap((page) => page.rows) ?? [];
  const show = (next: { readonly status?: string | undefined; readonly email?: string | undefined }): void =>
    void navigate({ to: '/me/administration', search: next, replace: true });
  return (
    <>
      <PageHead
        title="Administration"
        note={<span className="quiet">Who may use this platform, and the state of its processes.</span>}
      />
      <div className="stack">
        <form
          className="row"
          style={{ alignItems: 'flex-start' }}
          onSubmit={(event) => {
            event.preventDefault();
            show(typed.trim() === '' ? { status } : { email: typed.trim() });
          }}
        >
          <Select
            aria-label="Status"
            placeholder="Every status"
            clearable
            data={Object.entries(STATUSES).map(([value, label]) => ({ value, label }))}
            value={status ?? null}
            onChange={(next) => show(next === null ? {} : { status: next })}
          />
          <TextInput
            aria-label="E-mail address"
            placeholder="E-mail address, then Enter"
            maxLength={254}
            value={typed}
            error={complaintAt(registrations.error, '/querystring/email')}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </form>
        <FormProblem error={registrations.error} fields={['/querystring/email']} />
        {registrations.isPending && <div className="panel quiet">Loading…</div>}
        {registrations.isSuccess && rows.length === 0 && <div className="panel quiet">Nobody fits.</div>}
        {rows.length > 0 && (
          <div className="panel flush">
            <table className="list">
              <TableHead columns={['Name', 'E-mail address', 'Status', 'Since']} spoken="Change" />
              <tbody>
                {rows.map((row) => (
                  <Row key={row.id} registration={row} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        <More of={registrations} />
        {!registrations.error && <Installation />}
        {!registrations.error && <SigningKeys />}
      </div>
    </>
  );
}

interface Decision {
  readonly change: { readonly status?: 'APPROVED' | 'REJECTED'; readonly enabled?: boolean };
  readonly word: string;
  /** Question that is asked before; none for what can be taken back by a click. */
  readonly question?: string;
}

/** Decisions of an administrator about a registration. */
function decisionsOn({ status, enabled }: Registration): readonly Decision[] {
  const approve: Decision = { change: { status: 'APPROVED' }, word: 'Approve' };
  const reject: Decision = {
    change: { status: 'REJECTED' },
    word: 'Reject',
    question: 'They cannot sign in. You can approve them later.',
  };
  const off: Decision = {
    change: { enabled: false },
    word: 'Switch off',
    question: 'Their sessions and tokens are refused at once. What they own stays, and applications go on.',
  };
  if (!enabled) return [{ change: { enabled: true }, word: 'Switch on' }];
  if (status === 'PENDING') return [approve, reject];
  return status === 'REJECTED' ? [approve] : [off];
}

const stateOf = ({ status, enabled }: Registration): string => (enabled ? STATUSES[status] : 'Switched off');

/** Reads the tag of a registration. Throws stale when it is not any more as the list shows it. */
async function tagOf(platform: Platform, shown: Registration): Promise<string | null> {
  const { value, etag } = await tagged<Registration>(platform.getRegistration.response({ id: shown.id }));
  if (stateOf(value) === stateOf(shown)) return etag;
  throw new KethubError({
    code: 'stale',
    status: 412,
    title: 'Somebody else has decided',
    detail: `It is now: ${stateOf(value)}.`,
  });
}

function Row({ registration }: { readonly registration: Registration }) {
  const { id, firstname, lastname, username, email, emailVerified, status, enabled, createdAt } = registration;
  const { platform } = useActing();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Decision | null>(null);
  const decide = useMutation({
    mutationFn: async ({ decision, over }: { readonly decision: Decision; readonly over?: string | null }) => {
      const etag = over === undefined ? await tagOf(platform, registration) : over;
      return platform.changeRegistration({ id, json: decision.change, headers: ifMatch(etag) });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['registrations'] }),
    onSuccess: () => setAsked(null),
    onError: (error) => isStale(error) && setAsked(null),
  });
  const name = `${firstname} ${lastname}`.trim() || username;
  return (
    <tr>
      <td title={id}>
        <strong>{name}</strong> <span className="quiet small">{username}</span>
        {decide.error && !asked && !isStale(decide.error) && <Problem error={decide.error} />}
        <Conflict
          error={decide.error}
          read={() => tagged<Registration>(platform.getRegistration.response({ id }))}
          compare={({ value }) => [
            { label: 'Decision', mine: decide.variables?.decision.word ?? '', theirs: stateOf(value) },
          ]}
          onMine={({ etag }) => decide.variables && decide.mutate({ decision: decide.variables.decision, over: etag })}
          onTheirs={() => decide.reset()}
        />
      </td>
      <td>
        {email} {!emailVerified && <span className="quiet small">not confirmed</span>}
      </td>
      <td>
        <State of={enabled ? status : 'SWITCHED_OFF'} />
      </td>
      <td className="quiet">{createdAt !== null && <Time at={createdAt} />}</td>
      <td>
        <span className="row">
          {decisionsOn(registration).map((decision) => (
            <Button
              key={decision.word}
              size="compact-xs"
              variant="default"
              aria-label={`${decision.word}: ${name}`}
              loading={decide.isPending && !asked}
              onClick={() => (decision.question === undefined ? decide.mutate({ decision }) : setAsked(decision))}
            >
              {decision.word}
            </Button>
          ))}
        </span>
        {asked && (
          <Confirm
            title={`${asked.word} ${name}?`}
            action={asked.word}
            request={{
              error: decide.error,
              isPending: decide.isPending,
              mutate: () => decide.mutate({ decision: asked }),
            }}
            onClose={() => setAsked(null)}
          >
            {asked.question}
          </Confirm>
        )}
      </td>
    </tr>
  );
}
