import type { UserDto } from '@kethub/contract';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { meQuery } from '../../data/queries.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { CopyButton } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { DeleteAccount } from './delete-account.tsx';
import { Picture } from './picture.tsx';

/** Profile of the signed-in person. */
export function Profile() {
  useTitle('Profile');
  const { platform } = useActing();
  const { data: me } = useQuery(meQuery(platform));
  if (!me) return <div className="quiet">Loading…</div>;
  return (
    <div className="stack">
      <section className="panel stack" aria-labelledby="identity">
        <h2 id="identity">Account</h2>
        <dl className="facts">
          <dt>User name</dt>
          <dd>{me.username}</dd>
          <dt>E-mail address</dt>
          <dd>{me.email}</dd>
          <dt>Id</dt>
          <dd className="row">
            <span className="mono">{me.id}</span> <CopyButton value={me.id} label="Copy the id" />
          </dd>
        </dl>
        <p className="quiet small" style={{ margin: 0 }}>
          These come from the sign-in. Others can share a service or a data pool with you by your name.
        </p>
      </section>
      <Picture id={me.id} />
      <Texts key={me.id} me={me} />
      <DeleteAccount username={me.username} />
    </div>
  );
}

type Name = 'currentPosition' | 'homepage' | 'about';
const POINTERS = ['/currentPosition', '/homepage', '/about'];

function Texts({ me }: { readonly me: UserDto }) {
  const { platform } = useActing();
  const queries = useQueryClient();
  const [texts, setTexts] = useState<Readonly<Record<Name, string>>>({
    currentPosition: me.currentPosition ?? '',
    homepage: me.homepage ?? '',
    about: me.about ?? '',
  });
  const isChanged = (Object.keys(texts) as Name[]).some((name) => texts[name] !== (me[name] ?? ''));
  const change = useMutation({
    // An empty text clears a field; null would leave it.
    mutationFn: () => platform.updateMe({ json: texts }),
    onSuccess: (changed) => queries.setQueryData(meQuery(platform).queryKey, changed),
  });
  const inputOf = (name: Name) => ({
    value: texts[name],
    error: complaintAt(change.error, `/${name}`),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setTexts({ ...texts, [name]: event.currentTarget.value }),
  });
  return (
    <form
      className="panel stack"
      aria-labelledby="about-you"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <h2 id="about-you">About you</h2>
      <TextInput label="Position" maxLength={200} {...inputOf('currentPosition')} />
      <TextInput label="Home page" placeholder="https://" inputMode="url" maxLength={2_048} {...inputOf('homepage')} />
      <Textarea label="About" autosize minRows={4} maxRows={16} maxLength={5_000} {...inputOf('about')} />
      <FormProblem error={change.error} fields={POINTERS} />
      <div className="row">
        <Button type="submit" loading={change.isPending} disabled={!isChanged}>
          Save
        </Button>
        {change.isSuccess && !isChanged && (
          <span className="quiet small" role="status">
            Saved.
          </span>
        )}
      </div>
    </form>
  );
}
