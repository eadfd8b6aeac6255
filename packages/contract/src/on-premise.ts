import { Type, type Static } from 'typebox';
import { Request } from './fields.ts';
import { limits } from './limits.ts';
import { worded } from './patterns.ts';

const TargetUrl = Type.String({
  pattern: worded(
    '^https?://[^/?#@]+[^?#]*$',
    'must be an http or https address without user name, query and fragment',
  ),
  maxLength: limits.targetUrlLength,
  description:
    'Address of the service: scheme, host, port and the path below which calls are forwarded. https, and http where the installation allows it.',
  examples: ['https://quantum.example.org/solver/v1'],
});
const TimeoutSeconds = Type.Integer({
  minimum: 1,
  maximum: limits.targetTimeoutSeconds,
  default: 60,
  description: 'The time that the service may take to begin its answer, and to go on with it.',
});

/** Credentials of HTTP Basic authentication (RFC 7617): no control characters, and no colon in the name. */
export const TargetCredentials = Request(
  {
    username: Type.String({
      pattern: worded('^[^:\\u0000-\\u001f\\u007f]*$', 'must have no colon and no control characters'),
      maxLength: 255,
    }),
    password: Type.String({
      pattern: worded('^[^\\u0000-\\u001f\\u007f]*$', 'must have no control characters'),
      maxLength: 1_024,
    }),
  },
  {
    $id: 'TargetCredentials',
    description: 'Basic credentials that the gateway sends to the service. Never shown again.',
  },
);
export type TargetCredentials = Static<typeof TargetCredentials>;

/** The target of an on-premise service in a request. */
export const TargetRequest = Request(
  {
    url: TargetUrl,
    timeoutSeconds: TimeoutSeconds,
    credentials: Type.Optional(
      Type.Union([TargetCredentials, Type.Null()], {
        description:
          'null removes them. Left out: they stay as they are, which a change of scheme, host or port does not allow.',
      }),
    ),
  },
  { $id: 'TargetRequest' },
);
export type TargetRequest = Static<typeof TargetRequest>;

/** The target of an on-premise service in an answer. */
export const Target = Type.Object(
  {
    url: Type.String(),
    timeoutSeconds: Type.Integer(),
    hasCredentials: Type.Boolean({ description: 'True if the gateway sends Basic credentials.' }),
  },
  { $id: 'Target', description: 'Address and credentials of an on-premise service.' },
);
export type Target = Static<typeof Target>;

/** The next version of an on-premise service. */
export const AddOnPremiseVersionRequest = Request({ target: TargetRequest }, { $id: 'AddOnPremiseVersionRequest' });
export type AddOnPremiseVersionRequest = Static<typeof AddOnPremiseVersionRequest>;
