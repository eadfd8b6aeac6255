import { Type, type Static, type TObject } from 'typebox';
import { certificatesOf } from './certificates.ts';
import { listOf, networksOf } from './networks.ts';
import { Refusal } from './refusal.ts';

/** Targets to which the gateway may forward calls of on-premise services. */
export interface OnPremiseSettings {
  /** Networks in addition to public addresses, such as `10.1.0.0/16`. */
  readonly networks: readonly string[];
  /** First and last port of each range. */
  readonly ports: readonly (readonly [number, number])[];
  /** Allows targets without TLS. */
  readonly http: boolean;
  /** Trusted certificates in PEM in addition to Node's own, or null. */
  readonly certificates: string | null;
  /** Most bytes of a request body; null is no limit. */
  readonly bodyBytes: number | null;
}

/** The settings of on-premise services. */
export const OnPremiseFields = {
  KETHUB_ON_PREMISE_NETWORKS: Type.Optional(
    Type.String({
      description:
        'Networks (`10.1.0.0/16`), separated by commas. On-premise services may run in them, as at public addresses. People who may create services can then reach every server in these networks. Default: none; loopback, private and link-local addresses are refused.',
    }),
  ),
  KETHUB_ON_PREMISE_PORTS: Type.String({
    default: '443,8443',
    description: 'Ports and ranges (`8000-8999`), separated by commas, at which on-premise services may listen.',
  }),
  KETHUB_ON_PREMISE_HTTP: Type.Enum(['off', 'on'], {
    default: 'off',
    description:
      '`on` allows on-premise services without TLS. Everybody on the network can then read their inputs, results and credentials.',
  }),
  KETHUB_ON_PREMISE_CA_FILE: Type.Optional(
    Type.String({
      description:
        'File with certificates in PEM of authorities that are trusted for on-premise services, beside the public ones. Default: none.',
    }),
  ),
  KETHUB_ON_PREMISE_BODY_MB: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: 'Largest body of a request that is forwarded to an on-premise service. 0 is no limit.',
  }),
};

type Given = Static<TObject<typeof OnPremiseFields>>;

/** Throws Refusal for an unusable network, port or file of certificates. */
export function onPremiseOf(given: Given): OnPremiseSettings {
  return {
    networks: networksOf('KETHUB_ON_PREMISE_NETWORKS', given.KETHUB_ON_PREMISE_NETWORKS),
    ports: listOf(given.KETHUB_ON_PREMISE_PORTS).map(range),
    http: given.KETHUB_ON_PREMISE_HTTP === 'on',
    certificates: certificatesOf('KETHUB_ON_PREMISE_CA_FILE', given.KETHUB_ON_PREMISE_CA_FILE),
    bodyBytes: given.KETHUB_ON_PREMISE_BODY_MB === 0 ? null : given.KETHUB_ON_PREMISE_BODY_MB * 1024 * 1024,
  };
}

function range(text: string): readonly [number, number] {
  const [first = '', last = first, ...rest] = text.split('-');
  const ports = [Number(first), Number(last)] as const;
  const usable = ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535) && ports[0] <= ports[1];
  if (usable && rest.length === 0) return ports;
  throw new Refusal(`KETHUB_ON_PREMISE_PORTS holds ${text}, which is no port or range. Write 443 or 8000-8999.`);
}
