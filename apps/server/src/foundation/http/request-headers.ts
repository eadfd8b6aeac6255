import { limits, type ProblemCode } from '@kethub/contract';
import type { TSchema } from 'typebox';
import type { ResponseHeader } from './response-headers.ts';

/** The part of an endpoint that decides which headers it reads and sends. */
interface HeaderFacts {
  /** All of its problems, including those of the interface. */
  readonly problems: readonly ProblemCode[];
  readonly answers: Readonly<Record<number, unknown>>;
  readonly waits?: boolean;
  readonly path: string;
  readonly query?: TSchema;
}

interface Rule {
  readonly applies: (facts: HeaderFacts) => boolean;
  readonly schema: object;
}

const text = (description: string, more: object = {}): object => ({ type: 'string', description, ...more });
const mayRefuseWith =
  (code: ProblemCode) =>
  ({ problems }: HeaderFacts): boolean =>
    problems.includes(code);
const mayAnswer =
  (...statuses: readonly number[]) =>
  ({ answers }: HeaderFacts): boolean =>
    statuses.some((status) => status in answers);
const isPaged = ({ query }: HeaderFacts): boolean =>
  query !== undefined && 'cursor' in ((query as { properties?: object }).properties ?? {});

/** Request headers that operations honour. The OpenAPI documents are made from this table. */
const rules: Readonly<Record<string, Rule>> = {
  'X-OrganizationId': {
    // The header has no effect where the path names the organization.
    applies: (facts) => mayRefuseWith('unknown-organization')(facts) && !facts.path.includes(':organizationId'),
    schema: text('Id of an organization that the caller has joined, to act for it. Left out: personally.'),
  },
  'Idempotency-Key': {
    applies: mayRefuseWith('idempotency-key-reused'),
    schema: text('The same key and body again, within 24 hours, get the first answer again. Another body is 422.', {
      minLength: 1,
      maxLength: limits.idempotencyKeyLength,
    }),
  },
  'If-Match': {
    applies: mayRefuseWith('stale'),
    schema: text('ETag of the state that is to be changed. 412 when it has changed meanwhile.'),
  },
  'If-None-Match': {
    applies: mayAnswer(304),
    schema: text('ETag of what is known already. 304 when that has not changed.'),
  },
  Prefer: {
    applies: ({ waits }) => waits === true,
    schema: text(`\`wait=N\`: wait for N seconds, at most ${limits.preferWaitSeconds} (RFC 7240).`),
  },
  Range: {
    applies: mayAnswer(206),
    schema: text('A part of the content, such as `bytes=0-1023` (RFC 9110, section 14).'),
  },
};

/** The headers of the table that an operation honours, as schemas. */
export function requestHeaders(facts: HeaderFacts): Record<string, object> {
  const honoured = Object.entries(rules).filter(([, { applies }]) => applies(facts));
  return Object.fromEntries(honoured.map(([name, { schema }]) => [name, schema]));
}

/** Headers of successful answers that follow from the request headers. */
export function sentHeaders(facts: HeaderFacts): ResponseHeader[] {
  const sent: ResponseHeader[] = [];
  if (mayAnswer(304)(facts)) sent.push('ETag');
  if (mayAnswer(206)(facts)) sent.push('Content-Range');
  if (facts.waits === true) sent.push('Preference-Applied');
  if (isPaged(facts)) sent.push('Link');
  return sent;
}
