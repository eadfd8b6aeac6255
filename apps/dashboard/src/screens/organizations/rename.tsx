import type { Organization } from '@kethub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { organizationsQuery } from '../../data/queries.ts';
import { tagged } from '../../data/tagged.ts';
import { ChangeTexts } from '../../forms/texts-form.tsx';
import { useOrganization } from './use-organization.ts';

/** Renames the organization, unless somebody else has done so meanwhile. */
export function Rename({ onClose }: { readonly onClose: () => void }) {
  const { acting, organizationId } = useOrganization();
  const queries = useQueryClient();
  return (
    <ChangeTexts
      title="Rename the organization"
      fields={[{ key: 'name', label: 'Name', maxLength: 100, isNeeded: true }]}
      read={() => tagged<Organization>(acting.platform.getOrganization.response({ organizationId }))}
      save={({ name }, headers) =>
        acting.platform.renameOrganization.response({ organizationId, json: { name: name.trim() }, headers })
      }
      onSaved={async () => {
        await queries.invalidateQueries({ queryKey: organizationsQuery(acting.platform).queryKey });
        onClose();
      }}
      onClose={onClose}
    />
  );
}
