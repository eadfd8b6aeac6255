import { Type, type Static, type TObject } from 'typebox';
import { certificatesOf } from './certificates.ts';
import { networksOf } from './networks.ts';

export interface RepositorySettings {
  /** Bytes of one repository on disk. */
  readonly repositoryBytes: number;
  /** Bytes of all repositories of an owner. */
  readonly ownerBytes: number;
  /** Bytes of one push. */
  readonly pushBytes: number;
  /** Bytes of one file of a repository. */
  readonly fileBytes: number;
  /** Clones, fetches and pushes at a time; one more is answered with 503. */
  readonly transfers: { readonly inAll: number; readonly ofCaller: number };
  /** Private networks from which repositories may be imported. */
  readonly importNetworks: readonly string[];
  /** Certificates in PEM of authorities that are trusted for imports, beside the public ones; null for none. */
  readonly importCertificates: string | null;
}

const MEBIBYTE = 1024 * 1024;
const megabytes = (value: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000, default: value, description });

export const RepositoryFields = {
  KETHUB_REPOSITORY_MB: megabytes(2_048, 'Size of one repository of an implementation. A push beyond it is refused.'),
  KETHUB_OWNER_REPOSITORIES_MB: megabytes(
    10_240,
    'Size of all repositories of one person or organization. A push beyond it is refused.',
  ),
  KETHUB_PUSH_MB: megabytes(512, 'Size of what one push sends. Beyond it 413.'),
  KETHUB_REPOSITORY_FILE_MB: megabytes(100, 'Size of one file in a repository. A push with a larger one is refused.'),
  KETHUB_GIT_TRANSFERS: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 16,
    description: 'Clones, fetches and pushes that run at a time. One more is answered with 503.',
  }),
  KETHUB_GIT_TRANSFERS_PER_CALLER: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 4,
    description: 'The same for one person, or for one address without a token.',
  }),
  KETHUB_IMPORT_NETWORKS: Type.Optional(
    Type.String({
      description:
        'Private networks (`10.1.0.0/16`), separated by commas. Repositories may be imported from servers in them, as from public ones. Default: none.',
    }),
  ),
  KETHUB_IMPORT_CA_FILE: Type.Optional(
    Type.String({
      description:
        'File with certificates in PEM of authorities that are trusted for imports of repositories, beside the public ones. Default: none.',
    }),
  ),
};

export function repositoriesOf(given: Static<TObject<typeof RepositoryFields>>): RepositorySettings {
  return {
    repositoryBytes: given.KETHUB_REPOSITORY_MB * MEBIBYTE,
    ownerBytes: given.KETHUB_OWNER_REPOSITORIES_MB * MEBIBYTE,
    pushBytes: given.KETHUB_PUSH_MB * MEBIBYTE,
    fileBytes: given.KETHUB_REPOSITORY_FILE_MB * MEBIBYTE,
    transfers: { inAll: given.KETHUB_GIT_TRANSFERS, ofCaller: given.KETHUB_GIT_TRANSFERS_PER_CALLER },
    importNetworks: networksOf('KETHUB_IMPORT_NETWORKS', given.KETHUB_IMPORT_NETWORKS),
    importCertificates: certificatesOf('KETHUB_IMPORT_CA_FILE', given.KETHUB_IMPORT_CA_FILE),
  };
}
