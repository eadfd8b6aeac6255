import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../shell/problem.tsx';
import { useImplementationAddress } from './use-implementation.ts';

/** Addresses from before a change of name or owner. Each still answers, until it is given up. */
export function FormerAddresses({ urls }: { readonly urls: readonly string[] }) {
  const { acting, implementationId } = useImplementationAddress();
  const queries = useQueryClient();
  const release = useMutation({
    mutationFn(url: string) {
      const [owner = '', repository = ''] = new URL(url).pathname.split('/').slice(-2);
      return acting.platform.releaseImplementationAddress({
        implementationId,
        ownerId: decodeURIComponent(owner),
        name: repository.replace(/\.git$/, ''),
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [acting.base, 'implementation', implementationId] }),
  });
  return (
    <section className="panel stack" aria-labelledby="former">
      <h2 id="former">Former addresses</h2>
      <p className="quiet" style={{ margin: 0 }}>
        They still answer, and nobody else can take them. Once you give one up, somebody can.
      </p>
      {urls.map((url) => (
        <div key={url} className="row apart">
          <code style={{ overflowWrap: 'anywhere' }}>{url}</code>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Give up ${url}`}
            loading={release.isPending && release.variables === url}
            onClick={() => release.mutate(url)}
          >
            Give up
          </Button>
        </div>
      ))}
      {release.error && <Problem error={release.error} />}
    </section>
  );
}
