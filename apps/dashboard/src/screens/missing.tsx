import { useTitle } from '../shell/keys.ts';

/** Shown for an address that is no screen. */
export function Missing() {
  useTitle('No such page');
  return (
    <main className="landing stack">
      <h1>No such page</h1>
      <p style={{ margin: 0 }}>The address is wrong, or the page has moved.</p>
      <a href="/me">Home</a>
    </main>
  );
}
