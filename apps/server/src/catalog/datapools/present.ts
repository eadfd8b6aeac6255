import { toTimestamp, type DataPool, type DataPoolFile, type DataPoolMember, type MemberRole } from '@kethub/contract';
import { etag } from '../../foundation/http/index.ts';
import type { DataPoolFileRow, DataPoolMemberRow, DataPoolRow } from '../../foundation/storage/index.ts';

export function presentPool(row: DataPoolRow, role: MemberRole): DataPool {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    owner: { type: row.owner_type, id: row.owner_id },
    role,
    files: row.files,
    bytes: row.bytes,
    createdAt: toTimestamp(row.created_at),
  };
}

/** The entity tag of a pool as it is presented to this role. */
export function poolTag({ revision, files, bytes }: DataPoolRow, role: MemberRole): string {
  return etag(`${revision}-${files}-${bytes}-${role}`);
}

export function presentFile(row: DataPoolFileRow): DataPoolFile {
  return {
    id: row.id,
    name: row.name,
    bytes: row.bytes,
    mediaType: row.media_type,
    digest: row.digest,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  };
}

/** The entity tag of the content of a file. */
export function fileTag({ digest }: Pick<DataPoolFileRow, 'digest'>): string {
  return etag(digest);
}

export function presentMember(row: DataPoolMemberRow): DataPoolMember {
  return { type: row.member_type, id: row.member_id, role: row.role, addedAt: toTimestamp(row.created_at) };
}
