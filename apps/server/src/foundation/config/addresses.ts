import { Type, type Static, type TObject } from 'typebox';
import { listOf } from './networks.ts';

/** Addresses on which a process listens, and its public addresses. */
export interface Addresses {
  readonly host: string;
  readonly port: number;
  readonly gatewayPort: number;
  readonly publicUrl: string | null;
  readonly gatewayUrl: string | null;
  readonly gitUrl: string | null;
  readonly trustedProxies: readonly string[];
}

export const AddressFields = {
  KETHUB_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address to listen on. `0.0.0.0` opens the platform to the network.',
  }),
  KETHUB_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8080,
    description: 'Port of the platform interface and of the identity provider.',
  }),
  KETHUB_GATEWAY_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8081,
    description: 'Port of the gateway.',
  }),
  KETHUB_PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'Public address of the platform, if it is behind a proxy. Default: `http://localhost:<KETHUB_PORT>`.',
    }),
  ),
  KETHUB_GATEWAY_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Public address of the gateway. Default: `http://localhost:<KETHUB_GATEWAY_PORT>`.',
    }),
  ),
  KETHUB_GIT_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'Public address of the Git repositories of implementations. Default: `/git` at the public address of the platform.',
    }),
  ),
  KETHUB_TRUSTED_PROXIES: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F.:/, ]+$',
      description:
        'Addresses or networks (`10.0.0.0/8`) of proxies, separated by commas. Kethub believes their `X-Forwarded-For`. Without this setting, all callers behind a proxy share one address for the limits on look-ups of people and on mails. Wrong passwords are then counted by account only. Default: none.',
    }),
  ),
};

export function addressesOf(given: Static<TObject<typeof AddressFields>>): Addresses {
  return {
    host: given.KETHUB_HOST,
    port: given.KETHUB_PORT,
    gatewayPort: given.KETHUB_GATEWAY_PORT,
    publicUrl: given.KETHUB_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    gatewayUrl: given.KETHUB_GATEWAY_URL?.replace(/\/+$/, '') ?? null,
    gitUrl: given.KETHUB_GIT_URL?.replace(/\/+$/, '') ?? null,
    trustedProxies: listOf(given.KETHUB_TRUSTED_PROXIES),
  };
}
