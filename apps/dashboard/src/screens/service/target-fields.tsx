import type { TargetRequest } from '@kethub/contract';
import { PasswordInput, Switch, TextInput } from '@mantine/core';
import { complaintAt } from '../../forms/problem-at.tsx';

/** Address and credentials of a service, as the inputs of a form hold it. */
export interface TargetDraft {
  readonly url: string;
  readonly timeoutSeconds: string;
  /** True if the form sends credentials: new ones, or, empty, none at all. Else those that there are stay. */
  readonly changesCredentials: boolean;
  readonly username: string;
  readonly password: string;
}

export const emptyTarget: TargetDraft = {
  url: '',
  timeoutSeconds: '60',
  changesCredentials: true,
  username: '',
  password: '',
};

export function targetOf(draft: TargetDraft): TargetRequest {
  const { url, timeoutSeconds, changesCredentials, username, password } = draft;
  const credentials = username === '' && password === '' ? null : { username, password };
  return {
    url: url.trim(),
    timeoutSeconds: Number(timeoutSeconds),
    ...(changesCredentials && { credentials }),
  };
}

const MEMBERS = ['url', 'timeoutSeconds', 'credentials', 'credentials/username', 'credentials/password'];

/** JSON Pointers that `TargetFields` shows complaints at, below `at`. */
export function targetPointers(at: string): readonly string[] {
  return MEMBERS.map((member) => `${at}/${member}`);
}

/** Inputs for where a service runs. `at` is the JSON Pointer of the target in the request. */
export function TargetFields({
  draft,
  onChange,
  error,
  at,
  hasCredentials = false,
}: {
  readonly draft: TargetDraft;
  readonly onChange: (draft: TargetDraft) => void;
  readonly error: unknown;
  readonly at: string;
  /** True if credentials are stored already, which can stay. */
  readonly hasCredentials?: boolean;
}) {
  const set = (changed: Partial<TargetDraft>): void => onChange({ ...draft, ...changed });
  return (
    <>
      <TextInput
        label="Address"
        description="Calls are forwarded to paths below it."
        placeholder="https://quantum.example.org/solver/v1"
        required
        inputMode="url"
        maxLength={2_000}
        value={draft.url}
        error={complaintAt(error, `${at}/url`)}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <TextInput
        label="Longest wait for an answer, in seconds"
        required
        inputMode="numeric"
        value={draft.timeoutSeconds}
        error={complaintAt(error, `${at}/timeoutSeconds`)}
        onChange={(event) => set({ timeoutSeconds: event.currentTarget.value })}
      />
      {hasCredentials && (
        <Switch
          label="Change the credentials"
          checked={draft.changesCredentials}
          onChange={(event) => set({ changesCredentials: event.currentTarget.checked })}
        />
      )}
      {draft.changesCredentials && (
        <fieldset className="group">
          <legend>Credentials that the gateway sends (Basic)</legend>
          <div className="form">
            <TextInput
              label="User name"
              autoComplete="off"
              maxLength={255}
              value={draft.username}
              error={complaintAt(error, `${at}/credentials/username`) ?? complaintAt(error, `${at}/credentials`)}
              onChange={(event) => set({ username: event.currentTarget.value })}
            />
            <PasswordInput
              label="Password"
              description={hasCredentials ? 'Never shown again. Both left empty: none are sent.' : 'Never shown again.'}
              autoComplete="new-password"
              maxLength={1_024}
              value={draft.password}
              error={complaintAt(error, `${at}/credentials/password`)}
              onChange={(event) => set({ password: event.currentTarget.value })}
            />
          </div>
        </fieldset>
      )}
    </>
  );
}
