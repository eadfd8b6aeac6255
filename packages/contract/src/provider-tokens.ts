import { Type, type Static } from 'typebox';
import { Request, Timestamp } from './fields.ts';
import { limits } from './limits.ts';
import { worded } from './patterns.ts';

/** A provider of quantum computers, with the environment variables from which its client library reads credentials. */
export interface Provider {
  readonly name: string;
  /** Environment variable of the API key. */
  readonly apiKey: string;
  /** Environment variable of the service identifier, if the provider needs one. */
  readonly serviceIdentifier?: string;
  /** Environment variables with the same value for all users. */
  readonly constants?: Readonly<Record<string, string>>;
}

/**
 * Providers with API keys. The comment at each names the client library that reads the variable, and where, if the
 * program passes no key.
 */
export const providers = {
  // qiskit-ibm-runtime; the service identifier is the CRN of the instance
  IBM_QUANTUM: {
    name: 'IBM Quantum Platform',
    apiKey: 'QISKIT_IBM_TOKEN',
    serviceIdentifier: 'QISKIT_IBM_INSTANCE',
    constants: { QISKIT_IBM_CHANNEL: 'ibm_quantum_platform' },
  },
  // qiskit-ionq (helpers.resolve_credentials, after QISKIT_IONQ_API_TOKEN) and cirq-ionq (Service, after
  // CIRQ_IONQ_API_KEY)
  IONQ: { name: 'IonQ', apiKey: 'IONQ_API_KEY' },
  // iqm-client (IQMClient and IQMProvider: `token` says that it is read when none is given, and refuses both)
  IQM: { name: 'IQM Resonance', apiKey: 'IQM_TOKEN' },
  // qiskit-aqt-provider (AQTProvider: `access_token`)
  AQT: { name: 'AQT', apiKey: 'AQT_TOKEN' },
  // dwave-cloud-client (dwave.cloud.config: it goes before the files of the configuration)
  DWAVE: { name: 'D-Wave Leap', apiKey: 'DWAVE_API_TOKEN' },
  // perceval-quandela (perceval.runtime.remote_config: TOKEN_ENV_VAR)
  QUANDELA: { name: 'Quandela Cloud', apiKey: 'PCVL_CLOUD_TOKEN' },
} as const satisfies Record<string, Provider>;

export type ProviderCode = keyof typeof providers;
export const providerCodes = Object.keys(providers) as ProviderCode[];

/** Names of all environment variables of a provider. */
export function variablesOf(code: ProviderCode): string[] {
  const { apiKey, serviceIdentifier, constants }: Provider = providers[code];
  return [apiKey, ...(serviceIdentifier === undefined ? [] : [serviceIdentifier]), ...Object.keys(constants ?? {})];
}

export const ProviderName = Type.Enum(providerCodes);

/** A credential: printable ASCII without spaces. Line breaks, which could add headers or variables, are refused. */
const Token = Type.String({
  minLength: 1,
  maxLength: limits.providerTokenLength,
  pattern: worded('^[!-~]+$', 'must be printable ASCII without blanks'),
});

export const ProviderAccessTokenRequest = Request(
  {
    apiKey: Token,
    serviceIdentifier: Type.Optional(Token),
  },
  {
    $id: 'ProviderAccessTokenRequest',
    description: '`serviceIdentifier` for IBM_QUANTUM and for no other: the CRN of the instance.',
  },
);
export type ProviderAccessTokenRequest = Static<typeof ProviderAccessTokenRequest>;

export const ProviderAccessToken = Type.Object(
  {
    provider: ProviderName,
    name: Type.String(),
    hint: Type.String({ description: 'The API key, masked but for its last characters.' }),
    serviceIdentifier: Type.Optional(Type.String()),
    environmentVariables: Type.Array(Type.String(), {
      description: 'Names of the environment variables in which user code finds them.',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'ProviderAccessToken', description: 'The API key itself is never shown again.' },
);
export type ProviderAccessToken = Static<typeof ProviderAccessToken>;
