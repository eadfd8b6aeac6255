/**
 * The path in the repository to which a relative address in the file `from` leads. It is null where the address leads
 * out of the repository or to a place in the same file.
 */
export function pathFrom(from: string, address: string): string | null {
  const [written = ''] = address.split(/[?#]/);
  const path = decoded(written);
  if (path === null || path === '' || path.includes('\0')) return null;
  const names = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join('/');
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // no percent-encoding
  }
}
