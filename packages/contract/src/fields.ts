import { Type } from 'typebox';
import { limits } from './limits.ts';
import { worded } from './patterns.ts';

/** Fields that many resources share. */
export const Id = Type.String({
  format: 'uuid',
  description: 'UUID; version 7 where the platform mints it, so ids order by creation.',
});
export const timestampPattern = worded(
  String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`,
  'must be a time in UTC such as 2026-01-31 22:38:08',
);
export const Timestamp = Type.String({
  pattern: timestampPattern,
  description: 'yyyy-MM-dd HH:mm:ss, UTC.',
  examples: ['2026-01-31 22:38:08'],
});
export const Version = Type.String({
  pattern: worded(String.raw`^\d{1,9}\.\d{1,9}\.\d{1,9}$`, 'must be three numbers with dots between, such as 1.0.0'),
  description: 'Three dot-separated numbers.',
  examples: ['1.0.0'],
});
/** A version number that a provider chooses. Leading zeros are refused, so that each has one spelling. */
export const VersionNumber = Type.String({
  pattern: worded(
    String.raw`^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$`,
    'must be three numbers with dots between and without leading zeros, such as 2.0.0',
  ),
  description: 'Three dot-separated numbers without leading zeros.',
  examples: ['2.0.0'],
});
const MAILBOX_CHARACTER = String.raw`[^\s@<>"(),:;\\[\]\u0000-\u001f\u007f-\u009f]`;
/** An email address without quotes, comments, lists and line ends. Other alphabets are allowed (RFC 6531). */
export const EmailAddress = Type.String({
  pattern: worded(
    `^${MAILBOX_CHARACTER}{1,64}@${MAILBOX_CHARACTER}+$`,
    'must be an e-mail address such as ada@example.org',
  ),
  maxLength: limits.emailLength,
  examples: ['ada@example.org'],
});
/** The bytes of a file, in a body or in a part of a form. */
export const Bytes = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' });
export const Link = Type.Object({ href: Type.String() }, { $id: 'Link', description: 'HAL link.' });
export const Owner = Type.Object(
  { type: Type.Enum(['USER', 'ORGANIZATION']), id: Type.String() },
  { $id: 'Owner', description: 'The user or organization that the resource belongs to.' },
);

export const nullable = <T extends 'string' | 'number' | 'integer' | 'object'>(type: T, options: object = {}) =>
  Type.Unsafe<(T extends 'string' ? string : T extends 'object' ? Record<string, unknown> : number) | null>({
    type: [type, 'null'],
    ...options,
  });

/** An object in a platform request. Unknown members are refused. */
export const Request = <P extends Parameters<typeof Type.Object>[0]>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });
