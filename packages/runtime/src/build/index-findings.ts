/** Files of a package at the index that pip could not use, as pip lists them when asked for every link. */
export interface IndexFindings {
  /** Versions that exist as source code. */
  sources: string[];
  /** Wheels for other versions of Python or for other machines. */
  otherWheels: { version: string; tags: string }[];
  /** Versions that their authors have withdrawn. */
  yanked: { version: string; reason: string }[];
  /** The reason why the index gave no list. Null when it gave one or has no such package. */
  refused: string | null;
}

/** The findings when nothing is known. */
export const NO_FINDINGS: IndexFindings = { sources: [], otherWheels: [], yanked: [], refused: null };

const FILE = /\/([^/\s#]+?)\.(whl|tar\.gz|tar\.bz2|zip)(?:[#\s):]|$)/;

/** Reads the output of `pip index versions -vv` (pip 23 to 25), without the addresses of the index. */
export function readFindings(output: readonly string[]): IndexFindings {
  const found: IndexFindings = { sources: [], otherWheels: [], yanked: [], refused: null };
  for (const line of output) {
    const [, stem = '', ending = ''] = FILE.exec(line) ?? [];
    const version = stem.split('-')[1] ?? '';
    if (/^\s*Found link /.test(line) && ending !== 'whl' && ending !== '') {
      const stated = /, version: (\S+)$/.exec(line)?.[1] ?? version;
      if (!found.sources.includes(stated)) found.sources.push(stated);
    }
    const tags = /Skipping link: none of the wheel's tags \(([^)]*)\)/.exec(line)?.[1];
    if (tags !== undefined && version !== '') found.otherWheels.push({ version, tags });
    const reason = /Skipping link: yanked for reason: (.*?): (?:\S*:\/\/|\[)/.exec(line)?.[1];
    if (reason !== undefined && version !== '') found.yanked.push({ version, reason: reason.slice(0, 200) });
    const refusal = /Could not fetch URL .*?: (.*) - skipping$/.exec(line)?.[1];
    if (refusal !== undefined && !refusal.startsWith('404 ')) found.refused = refusal;
  }
  return found;
}
