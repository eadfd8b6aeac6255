const CLAUSE = /^(~=|===?|!=|<=|>=|<|>|\^|~|)\s*(\d+)(?:\.(\d+|\*))?(?:\.(\d+|\*))?[\w.*]*$/;

/**
 * Parses a range of Python versions (PEP 440, and the `^` and `~` of Poetry). Returns a test whether some release of a
 * version such as `3.12` is in the range, or null when the text is no range.
 */
export function pythonRange(text: string): ((version: string) => boolean) | null {
  const alternatives = text.split('||').map((part) =>
    part
      .split(',')
      .filter((one) => one.trim() !== '')
      .map(clauseOf),
  );
  if (alternatives.length === 0 || alternatives.some((clauses) => clauses.length === 0 || clauses.includes(null)))
    return null;
  return (version) => {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    return alternatives.some((clauses) => clauses.every((clause) => clause?.(major, minor) === true));
  };
}

type Clause = (major: number, minor: number) => boolean;

function clauseOf(text: string): Clause | null {
  const [, operator, first, second, third] = CLAUSE.exec(text.trim()) ?? [];
  if (operator === undefined || first === undefined) return null;
  const wantedMajor = Number(first);
  const anyMinor = second === undefined || second === '*';
  const wantedMinor = anyMinor ? 0 : Number(second);
  const compare: (major: number, minor: number) => number = (major, minor) =>
    major - wantedMajor || minor - wantedMinor;
  const same: Clause = (major, minor) => major === wantedMajor && (anyMinor || minor === wantedMinor);
  switch (operator) {
    case '>=':
    case '>':
      return (major, minor) => compare(major, minor) >= 0;
    case '<':
      // Some releases of 3.12 are below 3.12.4.
      return (major, minor) =>
        third === undefined || Number(third) === 0 ? compare(major, minor) < 0 : compare(major, minor) <= 0;
    case '<=':
      return (major, minor) => compare(major, minor) <= 0 || same(major, minor);
    case '!=':
      return (major, minor) => (third !== undefined && third !== '*') || !same(major, minor);
    case '^':
      return (major, minor) => major === wantedMajor && compare(major, minor) >= 0;
    case '~=':
      return third === undefined ? (major, minor) => major === wantedMajor && compare(major, minor) >= 0 : same;
    default:
      return same;
  }
}
