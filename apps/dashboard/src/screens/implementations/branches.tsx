import type { RepositoryRefs } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isMissing } from '../../data/form-query.ts';
import { implementationQuery, refsQuery } from '../../data/implementation-queries.ts';
import { TableHead, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { useImplementationAddress } from './use-implementation.ts';

/** Rows that are shown of each list; a repository may have 10,000 branches and tags. */
const SHOWN = 500;

/** The branches and tags of a repository, with what there is to do with each. */
export function Branches() {
  const { acting, implementationId } = useImplementationAddress();
  const refs = useQuery(refsQuery(acting, implementationId));
  if (isMissing(refs)) return <Problem error={refs.error} onRetry={() => void refs.refetch()} />;
  if (!refs.data) return <div className="panel quiet">Loading…</div>;
  const { branches, tags, defaultBranch } = refs.data;
  if (branches.length + tags.length === 0)
    return <div className="panel quiet">There is no branch yet. The first push makes one.</div>;
  return (
    <div className="stack">
      <Refs title="Branches" refs={branches} defaultBranch={defaultBranch} />
      {tags.length > 0 && <Refs title="Tags" refs={tags} defaultBranch={defaultBranch} />}
    </div>
  );
}

function Refs({
  title,
  refs,
  defaultBranch,
}: {
  readonly title: 'Branches' | 'Tags';
  readonly refs: RepositoryRefs['branches'];
  readonly defaultBranch: string;
}) {
  const { at } = useImplementationAddress();
  const newest = refs.toSorted((a, b) => b.committedAt.localeCompare(a.committedAt));
  return (
    <section className="panel flush" aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
      </div>
      <table className="list">
        <TableHead columns={['Name', 'Last commit', 'Compare', 'Download']} />
        <tbody>
          {newest.slice(0, SHOWN).map(({ name, commit, committedAt }) => {
            const isDefault = title === 'Branches' && name === defaultBranch;
            return (
              <tr key={name}>
                <td style={{ overflowWrap: 'anywhere' }}>
                  <Link to={at} search={isDefault ? {} : { ref: name }} className="name">
                    {name}
                  </Link>
                  {isDefault && <span className="quiet small"> default</span>}
                </td>
                <td>
                  <Link to={`${at}/commits/${commit}`} className="mono">
                    {commit.slice(0, 8)}
                  </Link>{' '}
                  <span className="quiet">
                    <Time at={committedAt} />
                  </span>
                </td>
                <td>
                  {!isDefault && (
                    <Link to={`${at}/compare`} search={{ base: defaultBranch, head: name }}>
                      with {defaultBranch}
                    </Link>
                  )}
                </td>
                <td>
                  <span className="row">
                    <Archive gitRef={name} format="zip" />
                    <Archive gitRef={name} format="tar" />
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {refs.length > SHOWN && (
        <p className="quiet panel-text" style={{ paddingTop: 12 }}>
          The newest {SHOWN} of {refs.length}.
        </p>
      )}
    </section>
  );
}

/** Downloads all files of a branch, tag or commit. */
export function Archive({
  gitRef,
  format,
  verb = '',
}: {
  readonly gitRef: string | null;
  readonly format: 'zip' | 'tar';
  /** Word before the format on the button. */
  readonly verb?: string;
}) {
  const { acting, implementationId } = useImplementationAddress();
  const name = useQuery(implementationQuery(acting, implementationId)).data?.value.name ?? 'repository';
  const archive = useMutation({
    mutationFn: async () => {
      const asked = { implementationId, format, ...(gitRef !== null && { ref: gitRef }) };
      const content = await acting.platform.downloadImplementationArchive(asked);
      save(await content.blob(), `${name}.${format}`);
    },
  });
  return (
    <>
      <Button
        size={verb === '' ? 'compact-xs' : 'xs'}
        variant="default"
        aria-label={verb === '' ? `${format.toUpperCase()} of ${gitRef ?? name}` : undefined}
        loading={archive.isPending}
        onClick={() => archive.mutate()}
      >
        {`${verb} ${format.toUpperCase()}`.trim()}
      </Button>
      {archive.error && <Problem error={archive.error} />}
    </>
  );
}
