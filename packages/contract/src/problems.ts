import { Type, type Static } from 'typebox';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** True if the same request can succeed later. */
  readonly retry: boolean;
  /** Text of the problem's page: what happened and what to do, in plain words. */
  readonly about: string;
}

const problem = (status: number, title: string, about: string, retry = false): ProblemKind => ({
  status,
  title,
  retry,
  about,
});

/** The problems of Kethub (RFC 9457). The key is the last segment of `type`: `{base_url}/problems/<code>`. */
export const problems = {
  'invalid-request': problem(
    400,
    'Invalid request',
    'A parameter, header or member of the body does not fit what the interface description asks for. `errors` names every place by JSON Pointer. Correct these and send the request again.',
  ),
  'malformed-json': problem(
    400,
    'Malformed JSON',
    'The body is not a JSON document. `detail` says where reading stopped. Send valid JSON, encoded as UTF-8.',
  ),
  'input-not-an-object': problem(
    400,
    'Input is not a JSON object',
    'The input of a service must be one JSON object, such as {"data": {}, "params": {}}. Wrap the value in an object.',
  ),
  'invalid-secrets': problem(
    400,
    'Invalid secrets',
    'The reserved member `$secrets` of the input must be an object that maps names of secret parameters to strings. A name that no parameter takes is refused, and so is a secret that stands in clear beside `$secrets`: nothing of it was stored.',
  ),
  'pricing-plan-required': problem(
    400,
    'Pricing plan required',
    'The service is offered in the marketplace, where a subscription is made on one of its pricing plans. `detail` lists them. Name one as `pricingPlanId`.',
  ),
  'invalid-archive': problem(
    400,
    'Archive refused',
    'The uploaded file is not a ZIP that a service can be made of. `detail` names the entry and the remedy. ZIP the content of the project (at least `src` and `requirements.txt`), not its folder: `cd project && zip -r ../project.zip .`',
  ),
  'invalid-image': problem(
    400,
    'Image refused',
    'The profile image is missing, empty, too large or neither JPEG nor PNG. Send one file of at most 5 MB in the part named `file`.',
  ),
  'still-owner': problem(
    400,
    'Still the only owner',
    'Something belongs to this user alone, and nobody could reach it without the account. `detail` names it and says what to do about it first. Nothing was deleted.',
  ),
  'not-authenticated': problem(
    401,
    'Not authenticated',
    'The request carries no valid credentials. Sign in, or send a valid token; an expired one has to be requested anew.',
  ),
  'not-approved': problem(
    403,
    'Not approved',
    'The account behind the credentials is not an approved user. An administrator approves registrations.',
  ),
  'account-being-deleted': problem(
    403,
    'Account is being deleted',
    'The deletion of the account behind the credentials has begun. Only DELETE {base_url}/me can be repeated, until the deletion is complete.',
  ),
  'not-administrator': problem(
    403,
    'Not an administrator',
    'Only administrators may do this. The setting `KETHUB_ADMINISTRATORS` of the platform names them.',
  ),
  'login-session-required': problem(
    403,
    'Login session required',
    'Personal access tokens cannot manage personal access tokens. Sign in and use the login session (Authorization: Bearer).',
  ),
  'not-permitted': problem(403, 'Not permitted', 'The caller is known but has no right to do this.'),
  'outside-token-scope': problem(
    403,
    'Outside the scope of the token',
    'The personal access token is limited to some operations, one owner or some services, and this request is not among them. Make a token with a wider scope, or leave this to a person.',
  ),
  'unknown-organization': problem(
    403,
    'Not a member of this organization',
    'The organization named by X-OrganizationId does not exist or the caller has not joined it. Leave the header out to act personally.',
  ),
  'not-subscribed': problem(
    403,
    'Not subscribed',
    'The application has no subscription to this service. Subscribe it on its page or with POST {base_url}/applications/{id}/subscriptions.',
  ),
  'data-pool-not-readable': problem(
    403,
    'Data pool not readable',
    'The input refers to a data pool that does not exist or may not be read. The reader is the owner of the application; for a job, whoever starts it. `errors` names the place. An owner of the pool can make them a member.',
  ),
  'not-found': problem(404, 'Not found', 'There is nothing at this address, or nothing that the caller may see.'),
  'empty-repository': problem(
    404,
    'Nothing there yet',
    'The repository has no commit on the branch that was asked for. Push one, as `detail` shows, or upload files.',
  ),
  'service-not-found': problem(
    404,
    'Service not found',
    'No service of this version answers at this address. Copy the service endpoint from the subscription of the application.',
  ),
  'execution-not-found': problem(
    404,
    'Execution not found',
    'No execution of this id was started through this subscription, or for this user or organization.',
  ),
  'result-not-available': problem(
    404,
    'Result not yet available',
    'The execution has not ended. Ask again later, or wait for the end with GET on the execution and the header Prefer: wait=60.',
    true,
  ),
  'result-expired': problem(
    410,
    'Result deleted after its time',
    'Result, result files and log are kept for a limited time after the end of an execution. `detail` says when they were deleted. Status and record are still there. Start the execution again if its result is needed.',
  ),
  'ticket-expired': problem(
    410,
    'Download address expired',
    'The address of a download is valid for a minute, and for the person who asked for it. Ask for another one where you found it.',
  ),
  'input-not-kept': problem(
    404,
    'Input not kept',
    'The input of an execution is kept with its result, up to 64 KiB. This one was longer, or it ended before inputs were kept. Its record has the size and the hash.',
  ),
  'result-file-not-found': problem(
    404,
    'Result file not found',
    'The execution has no result file of this name. `_links` of the result lists the files.',
  ),
  'method-not-allowed': problem(
    405,
    'Method not allowed',
    'The address exists, the method does not. The header Allow lists the methods.',
  ),
  'not-acceptable': problem(
    406,
    'Not acceptable',
    'The resource is not available in the form that the header Accept asks for. Ask for another one.',
  ),
  conflict: problem(
    409,
    'Conflict',
    'The resource is in a state that does not allow this. `detail` says which state and what would.',
  ),
  'on-request-only': problem(
    409,
    'Offered on request',
    'A service that is offered on request cannot be subscribed to. `detail` says how to reach its provider, who can share it with you.',
  ),
  'nothing-to-build': problem(
    409,
    'Nothing to build',
    'The root of the commit has no `Dockerfile`, no `Containerfile` and no `src/program.py`, so that no service can be made of it. Push one of them.',
  ),
  'execution-not-ended': problem(
    409,
    'Execution has not ended',
    'Only an execution that has ended can be deleted. Cancel it first, with PUT on its address and `/cancel`. One that was just cancelled can be deleted when its processes are gone, which takes some seconds.',
    true,
  ),
  'storage-quota-exceeded': problem(
    409,
    'Storage quota exceeded',
    'The storage quota of the person or organization is used up. `detail` names the quota and what is used. Delete executions, data pools or versions that are not needed any more, or ask an administrator for more; GET {base_url}/storage shows what takes how much.',
  ),
  'service-in-use': problem(
    409,
    'Service has subscribers',
    'Others have subscribed to the service, and it would be gone for them. `detail` says how many. Retire its versions instead, or delete it with `?force=true`: then those who have subscribed get a mail.',
  ),
  'version-published': problem(
    409,
    'Version is published',
    'A published version cannot be changed. Make the next version with POST {base_url}/services/{id}/versions.',
  ),
  'resource-unavailable': problem(
    409,
    'Resource not available here',
    'The configuration of the version asks for something that this installation does not have. `errors` names it. Change the configuration of the draft with PUT {base_url}/services/{id}/versions/{version}/configuration.',
  ),
  'build-not-succeeded': problem(
    409,
    'Build has not succeeded',
    'Only a version whose build has succeeded can be published or run. Read the log of the build.',
  ),
  'request-in-progress': problem(
    409,
    'First request still running',
    'A request with the same Idempotency-Key is still being worked on. Ask again in a moment.',
    true,
  ),
  'version-retired': problem(
    410,
    'Version retired',
    'This version of the service can no longer be started. `detail` names a newer one, if there is one: subscribe the application to it. Status, results and logs of what has been started stay readable.',
  ),
  stale: problem(
    412,
    'Changed in the meantime',
    'The resource has changed since it was read. Read it again and apply the change to what is there now.',
  ),
  'history-not-available': problem(
    410,
    'History not available',
    'The variables of an earlier step are computed from the journal of the instance, which is not possible for this one: `detail` says why. The journal and the present variables can be read.',
  ),
  'too-large': problem(413, 'Too large', 'The body is larger than the limit that `detail` names.'),
  'unsupported-media-type': problem(
    415,
    'Unsupported media type',
    'The body has a Content-Type that this endpoint does not take. `detail` names the one it takes.',
  ),
  'too-many-readers': problem(
    429,
    'Too many readers',
    'A limit on simultaneous readers is reached, for the caller or for the log: readers and followers of logs, or reads of repositories that wait. `detail` names the limit. End one, or ask again in a moment.',
    true,
  ),
  'readers-busy': problem(
    503,
    'No more readers at the moment',
    'The platform has reached its limit of simultaneous readers of logs or repositories. Ask again in a moment.',
    true,
  ),
  'range-not-satisfiable': problem(
    416,
    'Range not satisfiable',
    'The header Range asks for bytes beyond the end of the file. Content-Range names its size.',
  ),
  'idempotency-key-reused': problem(
    422,
    'Idempotency-Key reused',
    'The Idempotency-Key was used with another body. Use a new key for a new request.',
  ),
  'invalid-api-specification': problem(
    422,
    'API specification refused',
    'The uploaded document is no OpenAPI 3.0 or 3.1 document, refers to other documents, or changes what every service has. That is its operations and the schemas InputData, InputParams and ResultResponse with `_links` and `_embedded`. `errors` names every place by JSON Pointer into the document. Start from the document that GET on this address answers with, and change the schemas.',
  ),
  'invalid-workflow': problem(
    422,
    'Workflow refused',
    'The BPMN file cannot be deployed. `errors` names every place by the id of the BPMN element, with a code and what to do about it.',
  ),
  'precondition-required': problem(
    428,
    'Precondition required',
    'Writes to this resource need the header If-Match with the ETag of what was read.',
  ),
  'too-many-pending': problem(
    429,
    'Too many executions wait',
    'The person or organization has reached the limit of waiting executions. Try again when some of them have run, or cancel those that are not needed.',
    true,
  ),
  'quota-exceeded': problem(
    429,
    'Quota used up',
    'The subscription has used up the executions that the provider of the service allows for the day or the month. The header Retry-After says when the next one begins; times are UTC. The provider can raise the quota.',
    true,
  ),
  'too-many-requests': problem(
    429,
    'Too many requests',
    'The limit on requests is reached. The header Retry-After says when to try again.',
    true,
  ),
  'too-many-builds': problem(
    429,
    'Too many builds',
    'The limit of waiting and running builds is reached, for this owner or on the whole platform; `detail` says which. Wait until one has ended, then upload again. The header Retry-After says when to try again. The operator sets both limits.',
    true,
  ),
  'internal-error': problem(
    500,
    'Internal error',
    'Something failed inside the platform. Nothing was half done. The operator finds the cause in the log under the request id.',
    true,
  ),
  'service-not-importable': problem(
    503,
    'Service not importable',
    'Only `ket serve` answers this: the code as it is saved cannot be imported, or has no function `run`. `detail` names file and line. Correct the file; the next request runs what was saved then.',
    true,
  ),
  'runtime-unavailable': problem(
    503,
    'Runtime unavailable',
    'User code cannot be run at the moment, for example because the sandbox is missing. The operator finds the remedy in the log.',
    true,
  ),
  'identity-provider-unavailable': problem(
    503,
    'Identity provider unavailable',
    'The identity provider does not answer, so the platform cannot check who calls. Nothing was done. Try again.',
    true,
  ),
  'catalog-unavailable': problem(
    503,
    'Catalog unavailable',
    'Ownership cannot be checked at the moment. Nothing was deleted. Try again.',
    true,
  ),
  'deletion-incomplete': problem(
    503,
    'Deletion not complete',
    'Everything that belongs to the account is deleted, but the identity provider does not answer, so that the identity remains. Repeat the request to complete the deletion; Kethub goes on trying as well.',
    true,
  ),
  'insufficient-storage': problem(
    507,
    'Insufficient storage',
    'The disk of the platform is full, or nearly full, so that the upload could not be kept. Nothing was changed. The operator has to free space; then the same request succeeds.',
    true,
  ),
  'upstream-failed': problem(
    502,
    'On-premise service failed',
    'The service runs elsewhere, at its provider. It broke the connection, or what it answered is not HTTP. Whether it has worked on the request is not known. Its operator finds the call under the request id.',
    true,
  ),
  'upstream-unreachable': problem(
    502,
    'On-premise service not reachable',
    'The service runs elsewhere, at its provider, and the gateway cannot connect to it. Its name is not known, nothing listens, its certificate is not valid, or this installation does not connect to its network. The request has not reached it.',
    true,
  ),
  'upstream-timeout': problem(
    504,
    'On-premise service too slow',
    'The service runs elsewhere, at its provider, and did not connect or answer within the time that its provider has set. It may still be at work. Its operator finds the call under the request id.',
    true,
  ),
  'not-ready': problem(
    503,
    'Not ready',
    'This process of the platform lacks something that it needs, such as its database or its store of files. It goes on by itself when that is back. Repeat the request then.',
    true,
  ),
  stopping: problem(503, 'Stopping', 'The platform is being stopped. Try again in a moment.', true),
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problems;

export const ProblemDetails = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: 'Address of a page about this kind of problem.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'Path of the request.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({ description: 'JSON Pointer (RFC 6901) to the place in the request.' }),
          detail: Type.String(),
          elementId: Type.Optional(Type.String({ description: 'Id of a BPMN element, of a workflow.' })),
          code: Type.Optional(Type.String()),
        }),
      ),
    ),
  },
  { $id: 'ProblemDetails', description: 'RFC 9457 problem document.', additionalProperties: true },
);
export type ProblemDetails = Static<typeof ProblemDetails>;
