import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fileQuery, type At } from '../../data/implementation-queries.ts';
import { useImplementationAddress } from './use-implementation.ts';

/** Types of pictures that are shown. In an `img` no script of an SVG runs, and it loads nothing. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
};

/** The media type of a picture by the ending of its name; null for another file. */
export function pictureType(path: string): string | null {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(TYPES, ending) ? (TYPES[ending] ?? null) : null;
}

/** An address of a content in memory while it is shown. */
export function useObjectUrl(content: Blob | undefined, type: string): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!content) return setAddress(null);
    const made = URL.createObjectURL(new Blob([content], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return address;
}

/** A picture of the repository. */
export function Picture({
  at,
  text,
  isWhole = false,
}: {
  readonly at: At;
  readonly text: string;
  readonly isWhole?: boolean;
}) {
  const { acting, implementationId } = useImplementationAddress();
  const file = useQuery(fileQuery(acting, implementationId, at));
  const address = useObjectUrl(file.data, pictureType(at.path) ?? 'application/octet-stream');
  const [isBroken, setBroken] = useState(false);
  if (file.error || isBroken) return <span className="quiet">[{text === '' ? at.path : text}: no picture]</span>;
  if (address === null) return <span className="quiet">Loading…</span>;
  return (
    <img src={address} alt={text} className={isWhole ? 'shown-picture' : undefined} onError={() => setBroken(true)} />
  );
}
