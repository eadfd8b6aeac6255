import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { implementationQuery, implementationsQuery } from '../../data/implementation-queries.ts';
import { meQuery } from '../../data/queries.ts';
import { Transfer } from '../../forms/transfer.tsx';
import { roleInWords } from '../../look/roles.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { FormerAddresses } from './former-addresses.tsx';
import { ImportPanel } from './import.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useImplementationAddress } from './use-implementation.ts';

/** Settings of an implementation, who may use it, and its deletion. */
export function Settings() {
  const { acting, implementationId } = useImplementationAddress();
  const implementation = useQuery(implementationQuery(acting, implementationId));
  const { data: me } = useQuery(meQuery(acting.platform));
  const [asked, setAsked] = useState<'delete' | 'transfer' | null>(null);
  if (!implementation.data) return null;
  const { name, role, owner, formerUrls, visibility } = implementation.data.value;
  const isOwned = owner.id === (acting.organizationId ?? me?.id);
  // Everybody reads what is public: only other rights show that it was shared.
  const isShared = me !== undefined && !isOwned && (visibility === 'PRIVATE' || role !== 'VIEWER');
  return (
    <div className="stack">
      {isEnough(role, 'implementation:change') ? (
        <SettingsForm key={implementationId} />
      ) : (
        <div className="panel quiet">Your role is {roleInWords(role)}: only an owner changes settings.</div>
      )}
      {isEnough(role, 'implementation-member:list') && <Members role={role} owner={owner} />}
      {isEnough(role, 'implementation-member:change') && <Invitations />}
      {isEnough(role, 'implementation:change') && formerUrls.length > 0 && <FormerAddresses urls={formerUrls} />}
      <ImportPanel />
      <div className="row">
        {isEnough(role, 'implementation:transfer') && (
          <Button variant="default" onClick={() => setAsked('transfer')}>
            Give the implementation away
          </Button>
        )}
        {isEnough(role, 'implementation:delete') && (
          <Button variant="default" onClick={() => setAsked('delete')} style={{ color: 'var(--failed)' }}>
            Delete the implementation
          </Button>
        )}
        {isShared && <Leave name={name} />}
      </div>
      {asked === 'delete' && <Deletion name={name} onClose={() => setAsked(null)} />}
      {asked === 'transfer' && (
        <Transfer
          what={name}
          path={`/implementations/${implementationId}`}
          give={(json) => acting.platform.transferImplementation({ implementationId, json })}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}

function Deletion({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { acting, implementationId } = useImplementationAddress();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteImplementation({ implementationId }),
    async onSuccess() {
      await navigate({ to: `${acting.base}/implementations` });
      queries.removeQueries({ queryKey: [acting.base, 'implementation', implementationId] });
      await queries.invalidateQueries({ queryKey: implementationsQuery(acting).queryKey });
    },
  });
  return (
    <Confirm title={`Delete ${name}?`} action="Delete" name={name} request={remove} onClose={onClose}>
      Nobody can clone it any more. Services that were made of it stay as they are.
    </Confirm>
  );
}

/** Gives up an implementation that was shared with the context. */
function Leave({ name }: { readonly name: string }) {
  const { acting, implementationId } = useImplementationAddress();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const leave = useMutation({
    mutationFn: () => acting.platform.leaveImplementation({ implementationId }),
    async onSuccess() {
      await navigate({ to: `${acting.base}/implementations` });
      queries.removeQueries({ queryKey: [acting.base, 'implementation', implementationId] });
      await queries.invalidateQueries({ queryKey: implementationsQuery(acting).queryKey });
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsked(true)}>
        Leave the implementation
      </Button>
      {isAsked && (
        <Confirm title={`Leave ${name}?`} action="Leave" request={leave} onClose={() => setAsked(false)}>
          You can no longer read it, unless it is public or an owner adds you again.
        </Confirm>
      )}
    </>
  );
}
