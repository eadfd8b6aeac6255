import { Button } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Platform } from '../../data/client.ts';
import { useActing } from '../../data/context.tsx';
import { Icon } from '../../look/icons.tsx';
import { Problem } from '../../shell/problem.tsx';

/** Bytes of a picture that the platform takes. */
const LARGEST = 5 * 1024 * 1024;

/** The profile image of a person; null when there is none. */
const pictureQuery = (platform: Platform, id: string) =>
  queryOptions({
    queryKey: ['profile-image', id],
    async queryFn({ signal }) {
      const response = await platform.getProfileImage({ id, signal });
      return response.status === 204 ? null : response.blob();
    },
    staleTime: 300_000,
    structuralSharing: false,
  });

/** The profile image: shown, replaced, taken away. */
export function Picture({ id }: { readonly id: string }) {
  const { platform } = useActing();
  const queries = useQueryClient();
  const picture = useQuery(pictureQuery(platform, id));
  const input = useRef<HTMLInputElement>(null);
  const address = useAddress(picture.data ?? null);
  const settle = () => queries.invalidateQueries({ queryKey: pictureQuery(platform, id).queryKey });
  const upload = useMutation({
    async mutationFn(file: File) {
      if (file.size > LARGEST) throw new Error('The picture is larger than 5 MB. Choose a smaller one.');
      const body = new FormData();
      body.set('file', file);
      await platform.uploadProfileImage({ body });
    },
    onSuccess: settle,
  });
  const remove = useMutation({ mutationFn: () => platform.deleteProfileImage(), onSuccess: settle });
  const error = picture.error ?? upload.error ?? remove.error;
  return (
    <section className="panel stack" aria-labelledby="picture">
      <h2 id="picture">Picture</h2>
      <div className="row">
        {address === null ? (
          <span className="avatar quiet">
            <Icon name="person" size={40} />
          </span>
        ) : (
          <img className="avatar" src={address} alt="Your profile" />
        )}
        <Button variant="default" loading={upload.isPending} onClick={() => input.current?.click()}>
          {address === null ? 'Choose a picture' : 'Replace'}
        </Button>
        {address !== null && (
          <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
            Take it away
          </Button>
        )}
        <input
          ref={input}
          type="file"
          hidden
          aria-label="File of the picture"
          accept="image/png,image/jpeg"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) upload.mutate(file);
            currentTarget.value = '';
          }}
        />
      </div>
      <p className="quiet small" style={{ margin: 0 }}>
        JPEG or PNG, at most 5 MB. Everybody can see it. Where it was taken and other notes in the file are removed.
      </p>
      {error && <Problem error={error} />}
    </section>
  );
}

/** An address for a picture in memory, given back when another one takes its place. */
function useAddress(picture: Blob | null): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (picture === null) {
      setAddress(null);
      return undefined;
    }
    const made = URL.createObjectURL(picture);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return address;
}
