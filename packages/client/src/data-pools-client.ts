import type {
  CreateDataPoolRequest,
  DataPool,
  DataPoolFile,
  DataPoolMember,
  MemberRole,
  UpdateDataPoolRequest,
} from '@kethub/contract';
import { path, send, sendForJson, sendForNothing } from './connection.ts';
import type { CallOptions, Connection } from './connection.ts';

/** A person or an organization. */
export interface DataPoolParty {
  readonly type: 'USER' | 'ORGANIZATION';
  readonly id: string;
}

/** The content of an upload: a Blob, of which a file's (`fs.openAsBlob`, or a file input) is streamed; or a stream of known length. */
export type DataPoolContent = Blob | { readonly bytes: number; readonly stream: ReadableStream<Uint8Array> };

export interface DataPoolUploadOptions extends CallOptions {
  readonly mediaType?: string | undefined;
  /** Replace no file that is there. */
  readonly onlyNew?: boolean | undefined;
}

const file = (pool: string, name: string) => path`/data-pools/${pool}/files/${name}`;
const member = (pool: string, { type, id }: DataPoolParty) => path`/data-pools/${pool}/members/${type}/${id}`;

export function dataPoolsAt(connection: Connection) {
  return {
    /** Own ones and those that were shared, newest first. */
    dataPools: (options?: CallOptions) => sendForJson<DataPool[]>(connection, { path: '/data-pools', ...options }),
    dataPool: (id: string, options?: CallOptions) =>
      sendForJson<DataPool>(connection, { path: path`/data-pools/${id}`, ...options }),
    createDataPool: (pool: CreateDataPoolRequest, options?: CallOptions) =>
      sendForJson<DataPool>(connection, { method: 'POST', path: '/data-pools', json: pool, ...options }),
    updateDataPool: (id: string, change: UpdateDataPoolRequest, options?: CallOptions) =>
      sendForJson<DataPool>(connection, { method: 'PATCH', path: path`/data-pools/${id}`, json: change, ...options }),
    transferDataPool: (id: string, to: DataPoolParty, options?: CallOptions) =>
      sendForJson<DataPool>(connection, { method: 'PUT', path: path`/data-pools/${id}/owner`, json: to, ...options }),
    deleteDataPool: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/data-pools/${id}`, ...options }),
    /** Newest first. */
    dataPoolFiles: (id: string, options?: CallOptions) =>
      sendForJson<DataPoolFile[]>(connection, { path: path`/data-pools/${id}/files`, ...options }),
    uploadDataPoolFile: (id: string, name: string, content: DataPoolContent, options: DataPoolUploadOptions = {}) => {
      const { mediaType, onlyNew, signal } = options;
      const isBlob = content instanceof Blob;
      return sendForJson<DataPoolFile>(connection, {
        method: 'PUT',
        path: file(id, name),
        body: isBlob ? content : content.stream,
        headers: {
          'content-type': mediaType ?? ((isBlob && content.type) || 'application/octet-stream'),
          ...(!isBlob && { 'content-length': String(content.bytes) }),
          ...(onlyNew && { 'if-none-match': '*' }),
        },
        signal,
      });
    },
    /** A file; its body is not read yet. */
    downloadDataPoolFile: (id: string, name: string, { signal }: CallOptions = {}) =>
      send(connection, { path: file(id, name), headers: { accept: '*/*' }, signal }),
    deleteDataPoolFile: (id: string, name: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: file(id, name), ...options }),
    dataPoolMembers: (id: string, options?: CallOptions) =>
      sendForJson<DataPoolMember[]>(connection, { path: path`/data-pools/${id}/members`, ...options }),
    /** Adds a member, or gives one another role. */
    putDataPoolMember: (id: string, party: DataPoolParty, role: MemberRole, options?: CallOptions) =>
      sendForJson<DataPoolMember>(connection, { method: 'PUT', path: member(id, party), json: { role }, ...options }),
    removeDataPoolMember: (id: string, party: DataPoolParty, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: member(id, party), ...options }),
    /** Gives up a pool that was shared with the caller. */
    leaveDataPool: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/data-pools/${id}/membership`, ...options }),
  };
}
