import { Type, type Static } from 'typebox';
import { Id, Owner, Request, Timestamp, Version, VersionNumber, nullable } from './fields.ts';
import { limits } from './limits.ts';
import { Target, TargetRequest } from './on-premise.ts';
import { WorkflowDetails } from './workflows.ts';
import { NOT_BLANK, worded } from './patterns.ts';

export const serviceTypes = ['MANAGED', 'ON_PREMISE', 'WORKFLOW'] as const;
export const versionStates = ['DRAFT', 'PUBLISHED', 'RETIRED'] as const;
export const buildStatuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'] as const;
export type BuildStatus = (typeof buildStatuses)[number];
export const visibilities = ['SHARED', 'INTERNAL'] as const;
export type Visibility = (typeof visibilities)[number];
export const specificationOrigins = ['UPLOADED', 'DERIVED', 'DEFAULT'] as const;

export const runtimes = ['PYTHON_TEMPLATE', 'DOCKER'] as const;
export type ServiceRuntime = (typeof runtimes)[number];

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength, pattern: NOT_BLANK });
const Description = Type.String({ maxLength: limits.descriptionLength });

/** Environment variables. The schema uses `propertyNames`, because the OpenAPI generator drops `patternProperties`. */
export const EnvironmentVariables = Type.Unsafe<Record<string, string>>({
  type: 'object',
  description:
    'Readable by the code as ordinary environment variables. PATH, HOME, and names that begin with KETHUB_, LD_, PYTHON or SECRET_ are reserved. All names and values together have at most 131,072 bytes.',
  propertyNames: {
    pattern: worded(
      '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
      'must have names of letters, digits and _, not beginning with a digit, of at most 128 characters',
    ),
  },
  additionalProperties: { type: 'string', maxLength: 32_768 },
  maxProperties: 100,
});

export const GpuConfiguration = Request(
  {
    count: Type.Integer({ minimum: 1, maximum: 16 }),
    type: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameLength, pattern: NOT_BLANK })),
  },
  {
    $id: 'GpuConfiguration',
    description: 'A version that asks for a GPU can be published only where the installation has one.',
  },
);

/** A host name or an IPv4 address in lower case, with an optional port. */
const HOST = String.raw`^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::[1-9]\d{0,4})?$`;

export const DeclaredHosts = Type.Array(
  Type.String({
    pattern: worded(HOST, 'must be a host name with a port, such as api.example.org:443'),
    maxLength: 260,
    examples: ['api.example.org:8443'],
  }),
  {
    uniqueItems: true,
    maxItems: 50,
    description:
      'Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them.',
  },
);

const Visibility = Type.Enum([...visibilities], {
  description:
    'Visibility of a published version. SHARED: recipients of active shares run it as a job, and it may be offered in the marketplace; no application subscribes internally. INTERNAL: besides, applications of its owner and of recipients of active shares can subscribe.',
});

/** Versions of Python that services can choose. */
export const pythonVersions = ['3.10', '3.11', '3.12', '3.13'] as const;

/** Resources and limits of one execution. */
export const RuntimeConfiguration = Request(
  {
    runtime: Type.Enum([...runtimes], {
      default: 'PYTHON_TEMPLATE',
      description:
        'Kind of the source: a project of the Python template, or one with a Dockerfile. DOCKER needs an installation with a container engine.',
    }),
    cpus: Type.Number({ minimum: 0.1, maximum: 64, default: 1, description: 'Virtual CPU cores.' }),
    memoryGb: Type.Number({ minimum: 0.0625, maximum: 1024, default: 1, description: 'Memory in GB (2^30 bytes).' }),
    runTimeSeconds: Type.Integer({
      minimum: 1,
      maximum: limits.runTimeMs / 1000,
      default: limits.defaultRunTimeMs / 1000,
    }),
    gpu: Type.Optional(GpuConfiguration),
    environment: Type.Optional(EnvironmentVariables),
    providerAccessTokens: Type.Optional(
      Type.Boolean({
        description:
          "True if each execution has the provider access tokens of the service's owner as environment variables.",
      }),
    ),
    hosts: Type.Optional(DeclaredHosts),
    python: Type.Optional(
      Type.Enum([...pythonVersions], {
        description:
          'The Python of a service of the Python template. Without it, `.python-version` or `requires-python` in pyproject.toml decides, and without these the installation.',
      }),
    ),
    sourcePackages: Type.Optional(
      Type.Boolean({
        description:
          'True if requirements that exist as source code only are built: their code runs in the sandbox of the build, without a network. Default false.',
      }),
    ),
    warmStart: Type.Optional(
      Type.Boolean({
        description:
          'True if an execution may run in a process that was started, with the imports of the program, before the request. Default true.',
      }),
    ),
    warmPods: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.warmPods,
        description:
          'Pods of each worker that wait for executions of this version, each for one, where Python services run in a cluster with Kubernetes. They come with the first execution, go when none came for 15 minutes, and may be fewer: the operator bounds those of all owners. Default 0.',
      }),
    ),
  },
  { $id: 'RuntimeConfiguration' },
);
export type RuntimeConfiguration = Static<typeof RuntimeConfiguration>;

export const defaultConfiguration: RuntimeConfiguration = {
  runtime: 'PYTHON_TEMPLATE',
  cpus: 1,
  memoryGb: 1,
  runTimeSeconds: limits.defaultRunTimeMs / 1000,
};

export const BuildProblem = Type.Object(
  { code: Type.String(), title: Type.String(), detail: Type.String() },
  { $id: 'BuildProblem' },
);
export type BuildProblem = Static<typeof BuildProblem>;

export const Build = Type.Object(
  {
    id: Id,
    status: Type.Enum([...buildStatuses]),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    problem: Type.Optional(BuildProblem),
  },
  { $id: 'Build', description: 'Turning uploaded source into something that can be run.' },
);
export type Build = Static<typeof Build>;

export const ServiceParameter = Type.Object(
  {
    name: Type.String(),
    kind: Type.Enum(['data', 'secret', 'dataPool', 'other']),
    required: Type.Boolean(),
    annotation: Type.Optional(nullable('string')),
    description: Type.Optional(nullable('string')),
    schema: Type.Optional(
      Type.Unknown({
        description:
          'JSON Schema (2020-12) of the annotation, with the default, and with titles, descriptions, bounds and examples of models, dataclasses, `Annotated` and docstrings.',
      }),
    ),
    accepts: Type.Optional(
      Type.Enum(['STRICT', 'LAX', 'NONE'], {
        description:
          'Judging of an input against the schema before it runs. STRICT: exactly. LAX: text that Pydantic may turn into a number or a boolean passes. NONE: not judged.',
      }),
    ),
  },
  { $id: 'ServiceParameter', additionalProperties: true },
);

export const Retirement = Type.Object(
  { announcedAt: Timestamp, sunset: Timestamp },
  {
    $id: 'Retirement',
    description: 'From the sunset on, a version cannot be started any more. What has been started can be read.',
  },
);

export const RetirementRequest = Request(
  {
    sunset: Type.Optional(
      Type.String({ format: 'date-time', maxLength: 40, description: 'RFC 3339. Now when it is left out.' }),
    ),
  },
  { $id: 'RetirementRequest' },
);

export const SourceOrigin = Type.Object(
  {
    implementationId: Id,
    ref: Type.String({ description: 'Branch or tag.' }),
    commit: Type.String({ description: 'Commit, 40 hexadecimal digits.' }),
  },
  { $id: 'SourceOrigin', description: 'The commit of an implementation that a source was taken from.' },
);

export const ServiceVersion = Type.Object(
  {
    version: Version,
    state: Type.Enum([...versionStates]),
    // The same schema as in requests, where members with a default are optional. Answers contain all of them.
    configuration: Type.Optional(Type.Unsafe<Partial<RuntimeConfiguration>>(RuntimeConfiguration)),
    createdAt: Timestamp,
    publishedAt: Type.Optional(Timestamp),
    visibility: Type.Optional(Visibility),
    retirement: Type.Optional(Retirement),
    apiSpecification: Type.Optional(
      Type.Enum([...specificationOrigins], {
        description: 'Uploaded, derived from the signature of run(), or the default template.',
      }),
    ),
    sourceBytes: Type.Optional(Type.Integer()),
    sourceDigest: Type.Optional(Type.String({ description: 'SHA-256 of the uploaded ZIP, in hex.' })),
    origin: Type.Optional(SourceOrigin),
    build: Type.Optional(Build),
    target: Type.Optional(Target),
    workflow: Type.Optional(WorkflowDetails),
    parameters: Type.Optional(
      Type.Array(ServiceParameter, { description: 'Parameters of run(), once built. Left out in lists.' }),
    ),
    endpoint: Type.Optional(Type.String({ description: 'Address at the gateway, once published.' })),
  },
  {
    $id: 'ServiceVersion',
    description:
      'A version of a managed service has `configuration`, `sourceBytes`, `sourceDigest` and `build`, and one of an on-premise service `target`. One of a workflow service has `workflow`, `sourceBytes` and `sourceDigest`.',
  },
);
export type ServiceVersion = Static<typeof ServiceVersion>;

/** A version of a managed service. */
export type ManagedVersion = ServiceVersion &
  Required<Pick<ServiceVersion, 'configuration' | 'sourceBytes' | 'sourceDigest' | 'build'>>;

export const SourceFile = Type.Object(
  {
    path: Type.String({ description: 'Names with slashes between, such as `src/program.py`.' }),
    bytes: Type.Integer({ minimum: 0 }),
  },
  { $id: 'SourceFile' },
);
export type SourceFile = Static<typeof SourceFile>;

export const Service = Type.Object(
  {
    id: Id,
    name: Type.String(),
    slug: Type.String({ description: 'The name as it stands in the service address.' }),
    type: Type.Enum([...serviceTypes]),
    description: Type.String(),
    owner: Owner,
    createdAt: Timestamp,
    versions: Type.Array(ServiceVersion, {
      description: `The ${limits.versionsShown} newest, newest first. GET /services/{id}/versions has them all.`,
    }),
    isAutomated: Type.Optional(
      Type.Boolean({
        description:
          'True if pushes to an implementation become versions: GET /services/{id}/source says which. Only where one service is read.',
      }),
    ),
  },
  { $id: 'Service' },
);
export type Service = Static<typeof Service>;

/** The text parts of the multipart form of `POST /services`; the part `source` is the ZIP. */
export const CreateServiceForm = Request(
  {
    name: Name,
    description: Type.Optional(Description),
    version: Type.Optional(VersionNumber),
    configuration: Type.Optional(RuntimeConfiguration),
    type: Type.Optional(
      Type.Enum(['MANAGED', 'WORKFLOW'], { description: 'WORKFLOW: the source is a BPMN file. MANAGED otherwise.' }),
    ),
    applicationId: Type.Optional(
      Type.String({
        maxLength: limits.idLength,
        description: 'The application as which the tasks of a workflow call services.',
      }),
    ),
  },
  { $id: 'CreateServiceForm' },
);
export type CreateServiceForm = Static<typeof CreateServiceForm>;

/** The text parts of the form for the next version of a service. */
export const AddVersionForm = Request(
  { ...CreateServiceForm.properties, name: Type.Optional(Name) },
  { $id: 'AddVersionForm' },
);
export type AddVersionForm = Static<typeof AddVersionForm>;

/** `POST /services` as JSON, for an on-premise service. */
export const CreateOnPremiseServiceRequest = Request(
  {
    type: Type.Enum(['ON_PREMISE']),
    name: Name,
    description: Type.Optional(Description),
    target: TargetRequest,
  },
  { $id: 'CreateOnPremiseServiceRequest' },
);
export type CreateOnPremiseServiceRequest = Static<typeof CreateOnPremiseServiceRequest>;

export const UpdateServiceRequest = Request(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { $id: 'UpdateServiceRequest', minProperties: 1 },
);

export const PublicationRequest = Request({ visibility: Visibility }, { $id: 'PublicationRequest' });

/** An OpenAPI document. Its members depend on its version and are not described here. */
export const ApiSpecification = Type.Object(
  { openapi: Type.String({ description: '3.0.x or 3.1.x.' }) },
  { $id: 'ApiSpecification', additionalProperties: true, description: 'OpenAPI document of a version of a service.' },
);
export type ApiSpecification = Static<typeof ApiSpecification>;
