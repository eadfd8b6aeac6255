/** Shown for an address that is no screen. */
export function Missing() {
  return (
    <div className="empty">
      <h1>No such page</h1>
      <p style={{ margin: 0 }}>The address is wrong, or the page has moved.</p>
      <a href="/me">Home</a>
    </div>
  );
}
