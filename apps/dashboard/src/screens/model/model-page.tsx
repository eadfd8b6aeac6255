import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ServiceVersion } from '@kethub/contract';
import { formQuery, isMissing } from '../../data/form-query.ts';
import { takeKeptFile } from '../../data/kept-files.ts';
import { serviceQuery, sessionQuery } from '../../data/queries.ts';
import { tagged } from '../../data/tagged.ts';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { Editor } from './editor.tsx';
import { openFileOf, type FirstFile } from './use-file.ts';

/** The modeller with the file of the newest version of a workflow. */
export function ModelPage() {
  const { acting, serviceId } = useServiceAddress();
  const service = useQuery(serviceQuery(acting, serviceId));
  const version = service.data?.versions[0]?.version ?? '';
  const queries = useQueryClient();
  const file = useQuery({
    ...formQuery([acting.base, 'workflow-file', serviceId], async (signal): Promise<FirstFile> => {
      const { platform } = acting;
      const read = platform.getServiceVersion.response({ serviceId, version, signal });
      const { value, etag } = await tagged<ServiceVersion>(read);
      const source = await platform.downloadSource({ serviceId, version, signal });
      const { person } = await queries.ensureQueryData(sessionQuery(platform));
      const draftId = `${person.id} ${acting.base} ${serviceId}`;
      const xml = await source.text();
      const kept = await takeKeptFile(draftId);
      return { file: { ...openFileOf(value, etag), xml }, kept: kept?.xml === xml ? null : kept, draftId };
    }),
    enabled: version !== '',
  });
  if (service.data && service.data.type !== 'WORKFLOW')
    return <div className="panel quiet">Only workflows have a diagram.</div>;
  if (isMissing(file)) return <Problem error={file.error} onRetry={() => void file.refetch()} />;
  if (!file.data) return <div className="panel quiet">Loading…</div>;
  return <Editor key={serviceId} first={file.data} />;
}
