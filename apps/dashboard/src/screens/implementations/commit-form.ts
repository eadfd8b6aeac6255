import { useQuery } from '@tanstack/react-query';
import { refsQuery } from '../../data/implementation-queries.ts';
import { useImplementationAddress, useWhere } from './use-implementation.ts';

interface Commit {
  readonly branch: string;
  readonly message: string;
  readonly removed?: readonly string[];
  readonly files?: readonly { readonly path: string; readonly content: Blob }[];
}

/** The form of a commit that is made without Git. Fields come before files. */
export function commitForm({ branch, message, removed = [], files = [] }: Commit): FormData {
  const body = new FormData();
  body.set('message', message);
  body.set('branch', branch);
  for (const path of removed) body.append('remove', path);
  for (const { path, content } of files) body.append('files', content, path);
  return body;
}

/** Name of the branch that the page shows; empty while it is not known. */
export function useBranch(): string {
  const { acting, implementationId } = useImplementationAddress();
  const { ref } = useWhere();
  const refs = useQuery(refsQuery(acting, implementationId));
  return ref ?? refs.data?.defaultBranch ?? '';
}
