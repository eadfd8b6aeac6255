import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Confirm } from '../../shell/confirm.tsx';
import { commitForm, useBranch } from './commit-form.ts';
import { ifMatch } from '../../data/tagged.ts';
import { searchOf, useImplementationAddress, useWhere } from './use-implementation.ts';

/** Deletes the file of the page by a commit, unless somebody has pushed since `head`. */
export function DeleteFile({ head: shown, onClose }: { readonly head: string; readonly onClose: () => void }) {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref, path } = useWhere();
  // A page that is renewed while the question stands there has not changed what was asked.
  const [head] = useState(shown);
  const branch = useBranch();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () =>
      acting.platform.commitToImplementation({
        implementationId,
        body: commitForm({ branch, message: `Delete ${path}`, removed: [path] }),
        headers: ifMatch(`"${head}"`),
      }),
    async onSuccess() {
      await navigate({ to: at, search: searchOf({ ref, path: path.split('/').slice(0, -1).join('/') }) });
      await queries.invalidateQueries({ queryKey: [acting.base, 'implementation', implementationId] });
    },
  });
  return (
    <Confirm title={`Delete ${path}?`} action="Delete" request={remove} onClose={onClose}>
      This makes a commit on {branch}. The file stays in the history.
    </Confirm>
  );
}
