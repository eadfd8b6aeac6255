import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useActing, useSession } from '../../data/context.tsx';
import { meQuery } from '../../data/queries.ts';
import { Icon } from '../../look/icons.tsx';
import { PageHead } from '../../look/parts.tsx';

/** Head and tabs of what concerns the person alone. */
export function ProfilePage() {
  const { platform } = useActing();
  const session = useSession();
  const { data: me } = useQuery(meQuery(platform));
  return (
    <>
      <PageHead
        title={me ? `${me.firstname} ${me.lastname}` : 'You'}
        note={<span className="quiet">{me?.email}</span>}
        actions={
          <Button variant="default" leftSection={<Icon name="signOut" size={15} />} onClick={() => session.signOut()}>
            Sign out
          </Button>
        }
      />
      <nav className="tabs" aria-label="You">
        <Link to="/me/profile">Profile</Link>
        <Link to="/me/tokens">Access tokens</Link>
      </nav>
      <Outlet />
    </>
  );
}
