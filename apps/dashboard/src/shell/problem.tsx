import { KethubError, UnreachableError } from '@kethub/client';
import { Button } from '@mantine/core';
import { CopyButton } from '../look/parts.tsx';

/** A problem: the cause, the remedy, and the request id for the operator. */
export function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { title, detail, code, requestId } = describe(error);
  return (
    <div className="panel" role="alert" style={{ borderLeft: '3px solid var(--failed)' }}>
      <strong>{title}</strong>
      <div>{detail}</div>
      <div className="row small quiet" style={{ marginTop: 6 }}>
        {code !== null && <a href={`/api/problems/${encodeURIComponent(code)}`}>About this problem</a>}
        {requestId !== undefined && (
          <span className="row">
            Request <code>{requestId}</code> <CopyButton value={requestId} label="Copy the request id" />
          </span>
        )}
        {onRetry && (
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

interface Described {
  readonly title: string;
  readonly detail: string;
  /** Name of the page about the problem; null where there is none. */
  readonly code: string | null;
  readonly requestId: string | undefined;
}

export function describe(error: unknown): Described {
  if (error instanceof KethubError) {
    const more = error.errors.map(({ pointer, detail }) => `${pointer || 'input'}: ${detail}`).join(' · ');
    const detail = [error.detail, more].filter(Boolean).join(' ');
    const hasPage = error.code !== 'unexpected-answer' && /^[a-z-]+$/.test(error.code);
    return { title: error.title, detail, code: hasPage ? error.code : null, requestId: error.requestId };
  }
  if (error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message))
    return {
      title: 'This page could not be loaded',
      detail:
        'Either the platform does not answer, or it has been renewed since you opened the dashboard. Reload the page.',
      code: null,
      requestId: undefined,
    };
  const isLost = error instanceof UnreachableError || error instanceof TypeError;
  return {
    title: isLost ? 'No connection' : 'Something went wrong here',
    detail: isLost
      ? 'The platform did not answer. Check that it runs, then try again. Nothing that you typed is lost.'
      : error instanceof Error
        ? error.message
        : String(error),
    code: null,
    requestId: undefined,
  };
}
