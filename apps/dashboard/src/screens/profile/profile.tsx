import type { UserDto } from '@kethub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useActing } from '../../data/context.tsx';
import { formQuery } from '../../data/form-query.ts';
import { meQuery } from '../../data/queries.ts';
import { tagged } from '../../data/tagged.ts';
import { TextsForm } from '../../forms/texts-form.tsx';
import { CopyButton } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { Picture } from './picture.tsx';
import { SignOutEverywhere } from './sign-out-everywhere.tsx';

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
      <AboutYou />
      <SignOutEverywhere />
      <DeleteAccount username={me.username} />
    </div>
  );
}

const FIELDS = [
  { key: 'currentPosition', label: 'Position', maxLength: 200 },
  { key: 'homepage', label: 'Home page', maxLength: 2_048, placeholder: 'https://' },
  { key: 'about', label: 'About', maxLength: 5_000, isLong: true },
] as const;

/** Texts that others can read. An empty text clears a field. */
function AboutYou() {
  const { platform } = useActing();
  const queries = useQueryClient();
  const read = async () => {
    const { value, etag } = await tagged<UserDto>(platform.getMe.response());
    const { currentPosition, homepage, about } = value;
    return { etag, value: { currentPosition: currentPosition ?? '', homepage: homepage ?? '', about: about ?? '' } };
  };
  const present = useQuery(formQuery(['me'], read));
  return (
    <section className="panel stack" aria-labelledby="about-you">
      <h2 id="about-you">About you</h2>
      {present.error && <Problem error={present.error} onRetry={() => void present.refetch()} />}
      {present.isPending && <p className="quiet">Loading…</p>}
      {present.data && (
        <TextsForm
          fields={FIELDS}
          present={present.data}
          read={read}
          save={(json, headers) => platform.updateMe.response({ json, headers })}
          onSaved={() => queries.invalidateQueries({ queryKey: meQuery(platform).queryKey })}
        />
      )}
    </section>
  );
}
