// Made from the OpenAPI document by `npm run generate`. Change the endpoint, not this file.
export interface components {
    schemas: {
        AccessKey: {
            /** @description Public half of the key pair. */
            accessKeyId: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description Set when a newer key pair replaces this one: until then both work. */
            expiresAt: string | null;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /** @description Masked, except in the answer that created it and when revealed. */
            secretAccessKey: string;
        };
        AccessTokenDto: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description yyyy-MM-dd. Null means no expiry. */
            expiresAt: string | null;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            /** @description yyyy-MM-dd HH:mm:ss, UTC. Null when never used. */
            usedAt: string | null;
            /** @description Raw token, only in the answer that created it. */
            value: string | null;
        };
        AccessTokenMetadataDto: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description yyyy-MM-dd. Null means no expiry. */
            expiresAt: string | null;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            /** @description yyyy-MM-dd HH:mm:ss, UTC. Null when never used. */
            usedAt: string | null;
        };
        AccessTokensDto: {
            accessTokens: components["schemas"]["AccessTokenDto"][];
            defaultToken: string;
        };
        AddOnPremiseVersionRequest: {
            target: components["schemas"]["TargetRequest"];
        };
        /** @description OpenAPI document of a version of a service. */
        ApiSpecification: {
            /** @description 3.0.x or 3.1.x. */
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        Application: {
            /** @description Newest first. */
            accessKeys: components["schemas"]["AccessKey"][];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            /** @description Where the application requests bearer tokens. */
            tokenEndpoint: string;
        };
        /** @description A change of rights, keys or publications, or sign-ins of a day from one network. */
        AuditEntry: {
            /**
             * @description What was done: the kind of resource and the operation.
             * @example access-key:rotate
             */
            action: string;
            /** @description The user who did it; `unknown` of a sign-in that was refused. */
            actorId: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            at: string;
            /** @description What changed, without secrets. */
            detail: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            resourceId: string;
        };
        BatchUserRequest: {
            /** @description Duplicates are ignored. */
            ids: string[];
        };
        BatchUserResponseDto: {
            /** @description The other ids, joined with commas, in the order asked; empty when there are none. */
            notFound: string;
            /** @description The approved users among them, in the order asked. */
            users: components["schemas"]["UserOverviewDto"][];
        };
        /** @description Turning uploaded source into something that can be run. */
        Build: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            endedAt?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            problem?: components["schemas"]["BuildProblem"];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            startedAt?: string;
            /** @enum {unknown} */
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED";
        };
        BuildProblem: {
            code: string;
            detail: string;
            title: string;
        };
        /** @description A hint that something has changed: ids only. Absent `organizationId`: personal. */
        ChangeEvent: {
            /**
             * @description execution: an execution of the context has begun or changed its status. instance: the same of a workflow, with its incidents. provided-execution: an execution of a service of the context, of any owner. build: of a service version. reset: changes may have been missed; read again what is shown.
             * @enum {unknown}
             */
            event: "execution" | "instance" | "provided-execution" | "build" | "reset";
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            executionId?: string;
            /** @description Position in the stream, for `Last-Event-ID`. */
            id: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            organizationId?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId?: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version?: string;
        };
        /** @description What is absent stays as it is. */
        ChangeRegistrationRequest: {
            enabled?: boolean;
            /** @enum {unknown} */
            status?: "APPROVED" | "REJECTED";
        };
        /** @description A constraint that is absent stays; null takes it away. */
        ChangeShareRequest: {
            /** @description Not active any more from then on. Null: without end. yyyy-MM-dd HH:mm:ss, UTC. */
            endDate?: string | null;
            /** @description Not active before. Null: from now on. yyyy-MM-dd HH:mm:ss, UTC. */
            startDate?: string | null;
        };
        CreateAccessTokenRequest: {
            /** @description yyyy-MM-dd; valid through the end of that day, UTC. */
            expiresAt?: string | null;
            name: string;
        };
        CreateApplicationRequest: {
            name: string;
        };
        CreateDataPoolRequest: {
            description?: string;
            name: string;
        };
        CreateImplementationRequest: {
            defaultBranch?: string;
            description?: string;
            /** @description Last segment of the address, such as `portfolio-optimizer`. */
            name: string;
            /**
             * @description PRIVATE: owner and members. PUBLIC: anybody can clone it, and every approved user can read it here.
             * @enum {unknown}
             */
            visibility?: "PRIVATE" | "PUBLIC";
        };
        CreateOnPremiseServiceRequest: {
            description?: string;
            name: string;
            target: components["schemas"]["TargetRequest"];
            /** @enum {unknown} */
            type: "ON_PREMISE";
        };
        CreateShareRequest: {
            /** @description Not active any more from then on. Null: without end. yyyy-MM-dd HH:mm:ss, UTC. */
            endDate?: string | null;
            recipient: components["schemas"]["Recipient"];
            /** @description Not active before. Null: from now on. yyyy-MM-dd HH:mm:ss, UTC. */
            startDate?: string | null;
        };
        /** @description Files that executions can read; `role` is that of the caller. */
        DataPool: {
            /** @description Size of all its files together. */
            bytes: number;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            description: string;
            /** @description How many files it holds. */
            files: number;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            /**
             * @description VIEWER reads files, MAINTAINER changes them as well, OWNER also manages members and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        DataPoolFile: {
            bytes: number;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description SHA-256 of the content, in hex; quoted, it is the entity tag. */
            digest: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /** @description As it was uploaded. */
            mediaType: string;
            name: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            updatedAt: string;
        };
        /** @description Who may use a data pool beside its owner. */
        DataPoolMember: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            addedAt: string;
            /** @description Of the user or organization. */
            id: string;
            /**
             * @description VIEWER reads files, MAINTAINER changes them as well, OWNER also manages members and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            /** @enum {unknown} */
            type: "USER" | "ORGANIZATION";
        };
        DataPoolMemberRequest: {
            /**
             * @description VIEWER reads files, MAINTAINER changes them as well, OWNER also manages members and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        DataPoolReference: {
            /** @description Token with which somebody lends the application their rights on the data pool. */
            grant?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /** @enum {unknown} */
            ref: "DATAPOOL" | "datapool";
        };
        DefaultAccessTokenDto: {
            defaultToken: string;
        };
        /** @description The input: a JSON object. What a service takes beside `data` and `params`, its own document says. */
        ExecutionInput: {
            /** @description Secrets by the name of the parameter that takes them. Sealed, and never shown. */
            $secrets?: {
                [key: string]: string;
            };
            /** @description Words to find the execution by. The service does not get them. */
            $tags?: string[];
            data?: components["schemas"]["InputData"];
            params?: components["schemas"]["InputParams"];
        } & {
            [key: string]: components["schemas"]["DataPoolReference"] | unknown;
        };
        /** @description What is needed to run an execution again and to trust it. The provider of the service sees hashes and sizes, neither whose it is nor input, result, names of files or messages. */
        ExecutionRecord: {
            /** @description The ZIP that was uploaded. Null when it has not run, or nothing is known of its run. */
            code: {
                /** @description SHA-256 in hex. */
                digest: string;
            } | null;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description Only for whom it was started. */
            dataPools?: {
                id: string;
                parameter: string;
            }[];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            endedAt?: string;
            /** @description What it ran with: Python and its packages, or an image. The digest is that of all of it. */
            environment: {
                /** @description SHA-256 in hex. */
                digest: string;
                /** @description What was installed, by name. The digest is that of the list of its files with their hashes. */
                packages: {
                    /** @description SHA-256 in hex. */
                    digest: string;
                    name: string;
                    version: string;
                }[];
                platform: string;
                python: string;
            } | {
                /** @description SHA-256 in hex. */
                digest: string;
                /** @description Id of the image at the engine that built it: `sha256:` and the digest. */
                image: string;
                /** @description For example `linux/amd64`. */
                platform: string;
            } | null;
            /** @description Null before the end. */
            exit: {
                /** @description Only for whom it was started. */
                detail?: string;
                /** @description SUCCEEDED, or what ended it: a limit, a signal, the type of the exception, a cancellation. */
                reason: string;
            } | null;
            files: {
                bytes: number;
                /** @description SHA-256 in hex. */
                digest?: string;
                /** @description Only for whom it was started. */
                name?: string;
            }[];
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /** @description The text of the input object, without `$secrets`. Null of one that was accepted before records. */
            input: {
                bytes: number;
                /** @description SHA-256 in hex. */
                digest: string;
            } | null;
            /** @description What it was promised of the machine, and how long it might run. Null before it is started. */
            limits: {
                cpus: number;
                gpus: number;
                gpuType: string | null;
                memoryBytes: number;
                runTimeMs?: number;
            } | null;
            /** @description The JSON text of the result, as it stands at the root without the HAL members. Null without one. */
            result: {
                bytes: number;
                /** @description SHA-256 in hex. */
                digest: string;
            } | null;
            /** @description What ran it. */
            runtime: {
                /** @description A hash of the code of the runner. */
                version: string;
            } | null;
            service: {
                /**
                 * Format: uuid
                 * @description UUID; version 7 where the platform mints it, so ids order by creation.
                 */
                id?: string;
                /** @description Absent when the service has been deleted. */
                name?: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version?: string;
                /**
                 * Format: uuid
                 * @description UUID; version 7 where the platform mints it, so ids order by creation.
                 */
                versionId: string;
            };
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            startedAt?: string;
            /** @enum {unknown} */
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "CANCELLED" | "FAILED" | "UNKNOWN";
            timings: {
                /** @description From handing over the job until every process of it had ended. */
                ranMs: number | null;
                /** @description From acceptance until a worker took it. */
                waitedMs: number | null;
            };
            /** @description Null when nothing of it ran, or nothing is known. */
            usage: {
                bytesIn: number;
                /** @description The result and all result files. */
                bytesOut: number;
                cpuSeconds: number | null;
                logBytes: number;
                /** @description What measured both: CGROUPS_V2, CGROUPS_V1, the ENGINE of containers, or, on a machine without writable cgroups, what the operating system tells of its PROCESSES; the memory is that of the largest one then. Null where nothing was told. */
                measuredBy: string | null;
                peakMemoryBytes: number | null;
            } | null;
        };
        /** @description A version that asks for a GPU can be published only where the installation has one. */
        GpuConfiguration: {
            count: number;
            type?: string;
        };
        /** @description A Git repository; `role` is that of the caller. */
        Implementation: {
            /**
             * @description Runtime of the service that the default branch makes: DOCKER with a `Dockerfile` or `Containerfile` at its root, PYTHON_TEMPLATE with `src/program.py`, else null.
             * @enum {string|null}
             */
            buildable: "PYTHON_TEMPLATE" | "DOCKER" | null;
            /** @description Size of the repository after the last push. */
            bytes: number;
            /** @description Address for `git clone`. */
            cloneUrl: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            defaultBranch: string;
            description: string;
            /** @description Addresses from before a change of name or owner, which still answer. Empty in lists. */
            formerUrls: string[];
            /** @description Commit of the default branch; null while that branch does not exist. */
            head: string | null;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            pushedAt?: string;
            /**
             * @description VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            /**
             * @description PRIVATE: owner and members. PUBLIC: anybody can clone it, and every approved user can read it here.
             * @enum {unknown}
             */
            visibility: "PRIVATE" | "PUBLIC";
        };
        /** @description A user or an organization with a role beside the owner. */
        ImplementationMember: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            addedAt: string;
            /** @description Id of the user or organization. */
            id: string;
            /**
             * @description VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            /** @enum {unknown} */
            type: "USER" | "ORGANIZATION";
        };
        ImplementationMemberRequest: {
            /**
             * @description VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        /** @description Problem data: any JSON value. */
        InputData: unknown;
        /** @description Parameters that influence evaluation: any JSON value. */
        InputParams: unknown;
        /** @description Whoever has this verified e-mail address may join until it expires. */
        Invitation: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            email: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            expiresAt: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            organizationId: string;
            organizationName: string;
            /**
             * @description VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        InvitationRequest: {
            /** @example ada@example.org */
            email: string;
            /**
             * @description VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        Layer: {
            bytes: number;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description Hash of the packages and of the Python that they were installed for. */
            id: string;
            /** @description `name==version --hash=sha256:<digest>`, sorted. Empty for one of an older release of the platform. */
            packages: string[];
            /** @description Why it could not be rebuilt; it stays as it was. */
            problem?: string;
            /** @description Version of Python, for example `3.11`. */
            python: string;
            /**
             * @description When a version was last seen that needs it, in UTC.
             * @example 2026-01-31 22:38:08
             */
            usedAt: string;
            /** @description Versions of services that need it, published or not. */
            versions: number;
            /**
             * @description What an administrator has asked for and the worker has not done yet.
             * @enum {unknown}
             */
            wanted?: "PURGE" | "REBUILD";
            /** @description The worker that has it. Several may have the same layer. */
            workerId: string;
        };
        /** @description HAL link. */
        Link: {
            href: string;
        };
        /** @description How a service is offered in the marketplace. */
        Listing: {
            categories: ("CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER")[];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            documentation: string;
            pricingPlans: components["schemas"]["PricingPlan"][];
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            summary: string;
            title: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            updatedAt: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        ListingRequest: {
            categories: ("CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER")[];
            /** @description Markdown. */
            documentation?: string;
            pricingPlans: components["schemas"]["PricingPlan"][];
            summary?: string;
            /** @description Without it, the name of the service. */
            title?: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        /** @description One line of a log. */
        LogEntry: {
            message: string;
            /** @enum {unknown} */
            severity: "DEBUG" | "INFO" | "NOTICE" | "WARNING" | "ERROR";
            /** Format: date-time */
            timestamp: string;
        };
        MarketplaceEntry: {
            categories: ("CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER")[];
            /** @description Types of its plans. */
            pricing: ("FREE" | "COMMERCIAL" | "ON_REQUEST")[];
            provider: components["schemas"]["Provider"];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            publishedAt: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            summary: string;
            title: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        MarketplaceService: {
            _links: {
                /** @description The OpenAPI document of the offered version; none where the service runs elsewhere. */
                apiSpecification?: {
                    /** Format: uri */
                    href: string;
                };
            };
            categories: ("CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER")[];
            /** @description Of the service. */
            description: string;
            /** @description Markdown. */
            documentation: string;
            /** @description Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them. */
            hosts?: string[];
            /** @description What the service takes. */
            parameters?: components["schemas"]["ServiceParameter"][];
            pricingPlans: components["schemas"]["PricingPlan"][];
            provider: components["schemas"]["Provider"];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            publishedAt: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            summary: string;
            title: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        Member: {
            firstname: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            joinedAt: string;
            lastname: string;
            /**
             * @description VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            userId: string;
        };
        MemberRequest: {
            /**
             * @description VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        /** @description What was used in a month, by service, plan, product and price. Usage is added up exactly, and its cost is rounded once for each subscription and product, half up to the minor unit of the currency; what is shown is the sum of these. */
        MonthlyUsage: {
            lines: components["schemas"]["MonthlyUsageLine"][];
            /**
             * @description yyyy-MM, in UTC.
             * @example 2026-01
             */
            month: string;
            /** @description One per currency. */
            totals: {
                /**
                 * @description With the decimals of the currency.
                 * @example 12.50
                 */
                cost: string;
                currency: string;
            }[];
        };
        MonthlyUsageLine: {
            /** @description Units, as a decimal number. */
            amount: string;
            /**
             * @description With the decimals of the currency.
             * @example 12.50
             */
            cost: string;
            currency: string;
            pricingPlan: string;
            pricingPlanId: string;
            product: string;
            productId: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            serviceName: string;
            unit: string;
            unitPrice: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        /** @description An organization that the caller has joined; `role` is the role of the caller. */
        Organization: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            /**
             * @description VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion.
             * @enum {unknown}
             */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        OrganizationRequest: {
            name: string;
        };
        /** @description An execution that was started for the caller, as a job or by an application. */
        OwnedExecution: {
            _links: {
                result: components["schemas"]["Link"];
                self: components["schemas"]["Link"];
                status: components["schemas"]["Link"];
            };
            /** @description The application that started it; null for a job. */
            applicationId: string | null;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            endedAt?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /** @description The person who started the job; null for an application. */
            personId: string | null;
            /** @description Id of the version of the service. */
            serviceDefinitionId?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId?: string;
            /** @description Absent when the service has been deleted. */
            serviceName?: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            startedAt?: string;
            /** @enum {unknown} */
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "CANCELLED" | "FAILED" | "UNKNOWN";
            /** @description The tags of `$tags`; absent without any. */
            tags?: string[];
            /**
             * @description Whether code or a workflow is executed.
             * @enum {unknown}
             */
            type?: "MANAGED" | "WORKFLOW";
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version?: string;
        };
        /** @description Who the resource belongs to. */
        Owner: {
            id: string;
            /** @enum {unknown} */
            type: "USER" | "ORGANIZATION";
        };
        PersonalAccessTokenPrincipal: {
            accessToken: components["schemas"]["AccessTokenMetadataDto"];
            id: string;
        };
        PricingPlan: {
            /** @description Of an ON_REQUEST plan: how to reach the provider. */
            contact?: string;
            /**
             * @description Chosen by the provider: lower case letters, digits and hyphens.
             * @example basic
             */
            id: string;
            name: string;
            /** @description Of a COMMERCIAL plan: at least one. */
            products?: components["schemas"]["Product"][];
            /** @enum {unknown} */
            type: "FREE" | "COMMERCIAL" | "ON_REQUEST";
        };
        /** @description RFC 9457 problem document. */
        ProblemDetails: {
            detail: string;
            errors?: {
                code?: string;
                detail: string;
                /** @description Id of a BPMN element, of a workflow. */
                elementId?: string;
                /** @description JSON Pointer (RFC 6901) to the place in the request. */
                pointer: string;
            }[];
            /** @description Path of the request. */
            instance: string;
            status: number;
            title: string;
            /**
             * Format: uri-reference
             * @description Address of a page about this kind of problem.
             */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Something that a commercial plan charges for. */
        Product: {
            /** @description ISO 4217. */
            currency: string;
            /**
             * @description Chosen by the provider: lower case letters, digits and hyphens.
             * @example basic
             */
            id: string;
            /**
             * @description REPORTED by the provider of an on-premise service; the others are counted by the platform.
             * @enum {unknown}
             */
            metering: "EXECUTION" | "RUN_SECONDS" | "CPU_SECONDS" | "REPORTED";
            name: string;
            /** @example execution */
            unit: string;
            /**
             * @description A decimal number as text, with at most six decimals.
             * @example 0.05
             */
            unitPrice: string;
        };
        /** @description What the provider of a service sees of an execution: neither who started it nor input, result or log. */
        ProvidedExecution: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            endedAt?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            startedAt?: string;
            /** @enum {unknown} */
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "CANCELLED" | "FAILED" | "UNKNOWN";
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version?: string;
        };
        Provider: {
            id: string;
            name: string;
            /** @enum {unknown} */
            type: "USER" | "ORGANIZATION";
        };
        /** @description The API key itself is never shown again. */
        ProviderAccessToken: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description What user code finds them under. */
            environmentVariables: string[];
            /** @description The API key, masked but for its last characters. */
            hint: string;
            name: string;
            /** @enum {unknown} */
            provider: "IBM_QUANTUM" | "IONQ" | "IQM" | "AQT" | "DWAVE" | "QUANDELA";
            serviceIdentifier?: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            updatedAt: string;
        };
        /** @description `serviceIdentifier` for IBM_QUANTUM and for no other: the CRN of the instance. */
        ProviderAccessTokenRequest: {
            apiKey: string;
            serviceIdentifier?: string;
        };
        PublicationRequest: {
            /**
             * @description Of a published version. SHARED: recipients of active shares run it as a job, and it may be offered in the marketplace; no application subscribes internally. INTERNAL: besides, applications of its owner and of recipients of active shares can subscribe.
             * @enum {unknown}
             */
            visibility: "SHARED" | "INTERNAL";
        };
        QcDataPool: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @enum {unknown} */
            currentUserPermission: "VIEWER" | "MAINTAINER" | "OWNER";
            description: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            shortDescription: string;
            tags: string[];
        };
        QcDataPoolFile: {
            contentLength: number;
            contentType: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            dataPoolId: string;
            fullPath: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
        };
        QcDataPoolRequest: {
            description?: string;
            name: string;
            shortDescription?: string;
            tags?: string[];
        };
        QcGrant: {
            token: string;
        };
        QcGrantRequest: {
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            applicationId: string;
            /** @enum {unknown} */
            permission: "VIEW" | "MODIFY";
        };
        QcShare: {
            active: boolean;
            constraints: unknown[];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            id: string;
            /** @enum {unknown} */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            sharedWith: components["schemas"]["QcTenant"];
        };
        QcShareRequest: {
            /** @enum {unknown} */
            role?: "VIEWER" | "MAINTAINER" | "OWNER";
            sharedWith: components["schemas"]["QcTenant"];
        };
        QcShareRoleRequest: {
            /** @enum {unknown} */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        QcSubscription: {
            application: {
                /**
                 * @description yyyy-MM-dd HH:mm:ss, UTC.
                 * @example 2026-01-31 22:38:08
                 */
                createdAt: string;
                /**
                 * Format: uuid
                 * @description UUID; version 7 where the platform mints it, so ids order by creation.
                 */
                id: string;
                name: string;
            };
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            service: {
                gatewayEndpoint: string;
                /**
                 * Format: uuid
                 * @description UUID; version 7 where the platform mints it, so ids order by creation.
                 */
                id: string;
                name: string;
                version: string;
            };
        };
        QcSubscriptionRequest: {
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            applicationId: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
        };
        QcTenant: {
            /** @enum {unknown} */
            tenantType: "USER" | "ORGANIZATION";
            value: string;
        };
        /** @description An approved user, or an organization. */
        Recipient: {
            id: string;
            /** @enum {unknown} */
            type: "USER" | "ORGANIZATION";
        };
        Registration: {
            /** @description Null when the identity provider does not know. */
            createdAt: string | null;
            email: string;
            emailVerified: boolean;
            /** @description False: the account is switched off. */
            enabled: boolean;
            firstname: string;
            /** @description Subject of the identity provider. */
            id: string;
            lastname: string;
            /** @enum {unknown} */
            status: "PENDING" | "APPROVED" | "REJECTED";
            username: string;
        };
        RegistrationResponse: {
            /** @description For the person, in a sentence. */
            message: string | null;
            /** @enum {unknown} */
            status: "PENDING" | "APPROVED" | "REJECTED" | "NOT_FOUND" | "EMAIL_NOT_VERIFIED";
        };
        /** @description The result at the root, and two HAL members. */
        ResultResponse: {
            _embedded: {
                status: components["schemas"]["ServiceExecution"];
            };
            /** @description self, status and one link per result file, named by its file name. */
            _links: {
                self: components["schemas"]["Link"];
                status: components["schemas"]["Link"];
            } & {
                [key: string]: components["schemas"]["Link"];
            };
        } & {
            [key: string]: unknown;
        };
        /** @description How long results, result files and logs are kept. The shortest time that applies counts. */
        RetentionRequest: {
            /** @description Days after the end of any execution. Null, or left out: as long as the platform keeps them. */
            keepDays?: number | null;
            /** @description Shorter times for what was executed of single services, own ones or those of others. */
            services?: {
                keepDays: number;
                /**
                 * Format: uuid
                 * @description UUID; version 7 where the platform mints it, so ids order by creation.
                 */
                serviceId: string;
            }[];
        };
        /** @description From the sunset on, a version cannot be started any more. What has been started can be read. */
        Retirement: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            announcedAt: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            sunset: string;
        };
        RetirementRequest: {
            /**
             * Format: date-time
             * @description RFC 3339. Now when it is left out.
             */
            sunset?: string;
        };
        /** @description Variables that are corrected first: each in the nearest scope that has one of its name, from the element that failed outwards, else in the process. */
        RetryIncidentRequest: {
            variables?: {
                [key: string]: unknown;
            };
        };
        RetryIncidentsReceipt: {
            /** @description Left alone, because variables are given and the instance was started for somebody else. */
            foreign: number;
            /** @description Whether more match: repeat the request when these are done. */
            isLeft: boolean;
            /** @description At most 1000, the oldest ones. */
            retried: number;
        };
        /** @description Which open incidents of a workflow are tried again, and the variables that are corrected first in each. */
        RetryIncidentsRequest: {
            elementId?: string;
            errorCode?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            variables?: {
                [key: string]: unknown;
            };
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version?: string;
        };
        RotateAccessKeyRequest: {
            /**
             * @description How long the previous key pairs still work.
             * @default 0
             */
            overlapSeconds?: number;
        };
        RuntimeConfiguration: {
            /**
             * @description Virtual CPU cores.
             * @default 1
             */
            cpus?: number;
            /** @description Readable by the code as ordinary environment variables. PATH, HOME, and names that begin with KETHUB_, LD_, PYTHON or SECRET_ are reserved. All names and values together have at most 131,072 bytes. */
            environment?: {
                [key: string]: string;
            };
            gpu?: components["schemas"]["GpuConfiguration"];
            /** @description Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them. */
            hosts?: string[];
            /**
             * @description Memory in GB (2^30 bytes).
             * @default 1
             */
            memoryGb?: number;
            /** @description Whether each execution has the provider access tokens of the service's owner as environment variables. */
            providerAccessTokens?: boolean;
            /**
             * @description The Python of a service of the Python template. Without it, `.python-version` or `requires-python` in pyproject.toml decides, and without these the installation.
             * @enum {unknown}
             */
            python?: "3.10" | "3.11" | "3.12" | "3.13";
            /**
             * @description What the source is: a project of the Python template, or one with a Dockerfile. DOCKER needs an installation with a container engine.
             * @default PYTHON_TEMPLATE
             * @enum {unknown}
             */
            runtime?: "PYTHON_TEMPLATE" | "DOCKER";
            /** @default 3600 */
            runTimeSeconds?: number;
            /** @description Whether requirements that exist as source code only are built: their code runs in the sandbox of the build, without a network. Default false. */
            sourcePackages?: boolean;
            /** @description Whether an execution may run in a process that was started, with what the program imports, before it was asked for. Default true. */
            warmStart?: boolean;
        };
        SecretAccessKey: {
            secretAccessKey: string;
        };
        Service: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            description: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            /** @description The name as it stands in the service address. */
            slug: string;
            /** @enum {unknown} */
            type: "MANAGED" | "ON_PREMISE" | "WORKFLOW";
            /** @description The 20 newest, newest first. GET /services/{id}/versions has them all. */
            versions: components["schemas"]["ServiceVersion"][];
        };
        ServiceExecution: {
            /** @description The application that started it; absent of a job. */
            applicationId?: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            endedAt?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /** @description Id of the version of the service. */
            serviceDefinitionId?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId?: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            startedAt?: string;
            /** @enum {unknown} */
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "CANCELLED" | "FAILED" | "UNKNOWN";
            /** @description The tags of `$tags`; absent without any. */
            tags?: string[];
            /**
             * @description Whether code or a workflow is executed.
             * @enum {unknown}
             */
            type?: "MANAGED" | "WORKFLOW";
        };
        /** @description What the provider of a service sets: how much of it runs at once, and what those may use who have subscribed and whose own limits say nothing. */
        ServiceLimits: {
            /** @description Executions of all its versions that run at the same time, whoever started them; more wait as PENDING. Null, or left out: no limit. */
            executionsAtOnce?: number | null;
            /** @description Executions on one day (UTC). Null: what is set further out holds. */
            executionsPerDay: number | null;
            /** @description Executions in one calendar month (UTC). Null: what is set further out holds. */
            executionsPerMonth: number | null;
            /** @description Requests a minute. Null: what is set further out holds. */
            requestsPerMinute: number | null;
        };
        ServiceParameter: {
            /**
             * @description Whether an input is judged against the schema before it runs. STRICT: exactly. LAX: text that Pydantic may turn into a number or a boolean passes. NONE: not judged.
             * @enum {unknown}
             */
            accepts?: "STRICT" | "LAX" | "NONE";
            annotation?: string | null;
            description?: string | null;
            /** @enum {unknown} */
            kind: "data" | "secret" | "dataPool" | "other";
            name: string;
            required: boolean;
            /** @description JSON Schema (2020-12) of the annotation, with the default, and with titles, descriptions, bounds and examples of models, dataclasses, `Annotated` and docstrings. */
            schema?: unknown;
        } & {
            [key: string]: unknown;
        };
        /** @description A subscription as the provider of the service sees it. `set` is what it has been given of its own. */
        ServiceSubscription: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            limits: components["schemas"]["UsageLimits"];
            set: components["schemas"]["UsageLimitsRequest"];
            subscriber: components["schemas"]["Owner"];
            usage: components["schemas"]["UsageToday"];
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        /** @description Of a managed service: with `configuration`, `sourceBytes`, `sourceDigest` and `build`. Of an on-premise service: with `target`. Of a workflow service: with `workflow`, `sourceBytes` and `sourceDigest`. */
        ServiceVersion: {
            /**
             * @description Uploaded, derived from the signature of run(), or the default template.
             * @enum {unknown}
             */
            apiSpecification?: "UPLOADED" | "DERIVED" | "DEFAULT";
            build?: components["schemas"]["Build"];
            configuration?: components["schemas"]["RuntimeConfiguration"];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description Address at the gateway, once published. */
            endpoint?: string;
            /** @description Parameters of run(), once built. Left out in lists. */
            parameters?: components["schemas"]["ServiceParameter"][];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            publishedAt?: string;
            retirement?: components["schemas"]["Retirement"];
            sourceBytes?: number;
            /** @description SHA-256 of the uploaded ZIP, in hex. */
            sourceDigest?: string;
            /** @enum {unknown} */
            state: "DRAFT" | "PUBLISHED" | "RETIRED";
            target?: components["schemas"]["Target"];
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
            /**
             * @description Of a published version. SHARED: recipients of active shares run it as a job, and it may be offered in the marketplace; no application subscribes internally. INTERNAL: besides, applications of its owner and of recipients of active shares can subscribe.
             * @enum {unknown}
             */
            visibility?: "SHARED" | "INTERNAL";
            workflow?: components["schemas"]["WorkflowDetails"];
        };
        /** @description Access of a user or an organization to a service, while all constraints hold. */
        Share: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description Not active any more from then on. Null: without end. yyyy-MM-dd HH:mm:ss, UTC. */
            endDate: string | null;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            /** @description What the share opens while it is ACTIVE, with the versions that the service has now. JOBS: the recipient runs it in the job interface. API: applications of the recipient can subscribe to it and call it. */
            opens: ("JOBS" | "API")[];
            recipient: components["schemas"]["Recipient"];
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            /** @description Not active before. Null: from now on. yyyy-MM-dd HH:mm:ss, UTC. */
            startDate: string | null;
            /**
             * @description NEVER_ACTIVE: it ends before it starts.
             * @enum {unknown}
             */
            status: "ACTIVE" | "NOT_YET" | "EXPIRED" | "NEVER_ACTIVE";
        };
        /** @description What a recipient sees of a service: neither source nor configuration. */
        SharedService: {
            description: string;
            /** @description When the access ends. Null: without end. yyyy-MM-dd HH:mm:ss, UTC. */
            endDate: string | null;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            slug: string;
            /** @enum {unknown} */
            type: "MANAGED" | "ON_PREMISE" | "WORKFLOW";
            /** @description Published ones, newest first. While none can be started, the draft, as soon as it can be run. */
            versions: components["schemas"]["SharedServiceVersion"][];
        };
        SharedServiceVersion: {
            /** @description Address at the gateway, where applications may subscribe: published internally. */
            endpoint?: string;
            /** @description Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them. */
            hosts?: string[];
            /** @description What the recipient can do with the version. JOBS: the recipient runs it in the job interface. API: applications of the recipient can subscribe to it and call it. */
            opens: ("JOBS" | "API")[];
            /** @description Parameters of run(). */
            parameters?: components["schemas"]["ServiceParameter"][];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            publishedAt?: string;
            /** @enum {unknown} */
            state: "DRAFT" | "PUBLISHED";
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        SigningKeyRenewal: {
            /**
             * @description When the new key begins to sign, in UTC. Until then it is only published.
             * @example 2026-01-31 22:38:08
             */
            signsAt: string;
            /**
             * @description What the key signs. Login sessions of an external identity provider are signed there.
             * @enum {unknown}
             */
            use: "BEARER_TOKENS" | "LOGIN_SESSIONS";
        };
        SignInPlace: {
            /** @description The public client to sign in with. PKCE protects the code. */
            clientId: string;
            /** @description OpenID Connect issuer; its discovery document names the endpoints. */
            issuer: string;
            /** @description Scopes that make an access token one for the platform interface. */
            scope: string;
        };
        StorageQuota: {
            ownerId: string;
            /** @enum {unknown} */
            ownerType: "USER" | "ORGANIZATION";
            /** @description What it may keep; null is no limit. */
            quotaBytes: number | null;
            /** @description What the owner keeps. */
            usedBytes: number;
        };
        StorageQuotaRequest: {
            /** @description Bytes; null is no limit. Left out: what the installation allows everybody. */
            quotaBytes?: number | null;
        };
        /** @description What counting all anew has found. */
        StorageRecount: {
            corrected: {
                /** @description Bytes that are there. */
                after: number;
                /** @description Bytes that had been counted. */
                before: number;
                ownerId: string;
                /** @enum {unknown} */
                ownerType: "USER" | "ORGANIZATION";
            }[];
            /** @description How many were counted. */
            owners: number;
        };
        /** @description What the caller, or the organization, keeps on the platform, in bytes. */
        StorageUsage: {
            /** @description Files in own data pools. */
            dataPoolBytes: number;
            /** @description Result files, as they are downloaded. */
            fileBytes: number;
            /** @description Inputs of executions that have not ended. */
            inputBytes: number;
            /** @description How long the platform keeps results, result files and logs; null is for good. */
            keepDays: number | null;
            /** @description Logs of executions. */
            logBytes: number;
            /** @description What may be used; null is no limit. */
            quotaBytes: number | null;
            /** @description Results and records of executions. */
            resultBytes: number;
            retention: {
                /** @description The own, shorter time; null without one. */
                keepDays: number | null;
                services: {
                    keepDays: number;
                    /**
                     * Format: uuid
                     * @description UUID; version 7 where the platform mints it, so ids order by creation.
                     */
                    serviceId: string;
                }[];
            };
            /** @description Uploaded versions of own services, and the logs of their builds. */
            serviceBytes: number;
            /** @description All that follows, together. */
            usedBytes: number;
        };
        /** @description Without `version`, the newest published one. In the marketplace, the one that is offered there. */
        SubscribeRequest: {
            /** @description The plan of the marketplace to subscribe on. */
            pricingPlanId?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version?: string;
        };
        /** @description `pricingPlan` stands in a subscription made in the marketplace: as it was then, which holds until the application subscribes anew. */
        Subscription: {
            /**
             * @description Why the application could subscribe.
             * @enum {unknown}
             */
            basis: "INTERNAL" | "SHARE" | "MARKETPLACE";
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /** @description Address of the service at the gateway. */
            endpoint: string;
            /** @description Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them. */
            hosts?: string[];
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            limits: components["schemas"]["UsageLimits"];
            pricingPlan?: components["schemas"]["PricingPlan"];
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            serviceName: string;
            usage: components["schemas"]["UsageToday"];
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        /** @description Where an on-premise service runs. */
        Target: {
            /** @description Whether the gateway sends Basic credentials. */
            hasCredentials: boolean;
            timeoutSeconds: number;
            url: string;
        };
        /** @description Basic credentials that the gateway sends to the service. Never shown again. */
        TargetCredentials: {
            password: string;
            username: string;
        };
        TargetRequest: {
            /** @description null removes them. Left out: they stay as they are, which a change of scheme, host or port does not allow. */
            credentials?: components["schemas"]["TargetCredentials"] | null;
            /**
             * @description How long the service may take to begin its answer, and to go on with it.
             * @default 60
             */
            timeoutSeconds?: number;
            /**
             * @description Where the service runs: scheme, host, port and the path below which calls are forwarded. https, and http where the installation allows it.
             * @example https://quantum.example.org/solver/v1
             */
            url: string;
        };
        /** @description The new owner: the caller, or an organization in which the caller is MAINTAINER or OWNER. */
        TransferRequest: {
            id: string;
            /** @enum {unknown} */
            type: "USER" | "ORGANIZATION";
        };
        UpdateDataPoolRequest: {
            description?: string;
            name?: string;
        };
        UpdateImplementationRequest: {
            defaultBranch?: string;
            description?: string;
            /** @description Last segment of the address, such as `portfolio-optimizer`. */
            name?: string;
            /**
             * @description PRIVATE: owner and members. PUBLIC: anybody can clone it, and every approved user can read it here.
             * @enum {unknown}
             */
            visibility?: "PRIVATE" | "PUBLIC";
        };
        UpdateServiceRequest: {
            description?: string;
            name?: string;
        };
        /** @description A field that is absent or null keeps its value; an empty text clears it to null. */
        UpdateUserRequest: {
            about?: string | null;
            currentPosition?: string | null;
            /** @description An absolute http or https address. */
            homepage?: string | null;
        };
        /** @description What a subscription may use, all provisions considered. */
        UsageLimits: {
            /** @description Executions on one day (UTC). Null: no limit. */
            executionsPerDay: number | null;
            /** @description Executions in one calendar month (UTC). Null: no limit. */
            executionsPerMonth: number | null;
            /** @description Requests a minute. Null: no limit. */
            requestsPerMinute: number | null;
        };
        /** @description What the provider of a service sets: for one subscription, or for all whose own limits say nothing. Beyond both, the defaults of the installation hold. */
        UsageLimitsRequest: {
            /** @description Executions on one day (UTC). Null: what is set further out holds. */
            executionsPerDay: number | null;
            /** @description Executions in one calendar month (UTC). Null: what is set further out holds. */
            executionsPerMonth: number | null;
            /** @description Requests a minute. Null: what is set further out holds. */
            requestsPerMinute: number | null;
        };
        UsageRecord: {
            amount: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            at: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            currency?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            product: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            subscriptionId: string;
            test: boolean;
            /** @description Of a commercial plan. */
            unitPrice?: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        UsageReport: {
            /**
             * @description A decimal number as text, with at most six decimals.
             * @example 0.05
             */
            amount: string;
            /**
             * @description When it was used: yyyy-MM-dd HH:mm:ss, UTC. Now when left out.
             * @example 2026-01-31 22:38:08
             */
            at?: string;
            /**
             * @description What was used. On a commercial plan: the id of a product of it that is metered as REPORTED.
             * @example shots
             */
            product: string;
            /**
             * Format: uuid
             * @description Of the calls: what the gateway sends to the service as `X-Kethub-Subscription-Id`.
             */
            subscriptionId: string;
            /**
             * @description Checked and recorded like any other, and never counted.
             * @default false
             */
            test?: boolean;
        };
        UsageToday: {
            /** @description Null: not counted, as there is no quota. */
            executionsThisMonth: number | null;
            /** @description Null: not counted, as there is no quota. */
            executionsToday: number | null;
        };
        UserDto: {
            about: string | null;
            currentPosition: string | null;
            email: string;
            firstname: string;
            homepage: string | null;
            /** @description Subject of the identity provider. */
            id: string;
            lastname: string;
            username: string;
        };
        UserOverviewDto: {
            firstname: string;
            id: string;
            lastname: string;
        };
        UserSearchDto: {
            firstname: string;
            id: string;
            lastname: string;
        };
        WorkflowApplicationRequest: {
            /** @description An application of the same owner, or null. */
            applicationId: string | null;
        };
        WorkflowDetails: {
            /** @description As which tasks call services that name no application themselves. */
            applicationId: string | null;
            /** @description What it waits for, and what starts it. */
            messages: {
                /** @description Id of a BPMN element. */
                elementId: string;
                name: string;
                starts: boolean;
            }[];
            /** @description A version with problems is saved, and cannot be deployed. */
            problems: components["schemas"]["WorkflowProblem"][];
            processId: string | null;
            /** @description What its tasks call. */
            services: {
                applicationId: string | null;
                /** @description Id of a BPMN element. */
                elementId: string;
                /**
                 * Format: uuid
                 * @description UUID; version 7 where the platform mints it, so ids order by creation.
                 */
                serviceId: string;
                serviceVersion: string | null;
            }[];
            /** @description Signals that it waits for, and that start it. */
            signals: {
                /** @description Id of a BPMN element. */
                elementId: string;
                name: string;
                starts: boolean;
            }[];
            /** @description Probable mistakes that are no reason to refuse it, such as a variable that nothing defines. */
            warnings: components["schemas"]["WorkflowProblem"][];
        };
        WorkflowError: {
            applicationId?: string;
            errorCode: string;
            /** @description Id of a BPMN element. */
            failedElement: string;
            message: string;
            response?: unknown;
            serviceId?: string;
        };
        /** @description What keeps an instance from going on, at which element, and the variables that the element sees. */
        WorkflowIncident: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            at: string;
            /** @description Id of a BPMN element. */
            elementId: string;
            elementName: string | null;
            error: components["schemas"]["WorkflowError"];
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            executionId: string;
            /** @description Its number within the instance. */
            incident: number;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            instanceId: string;
            processId: string;
            /** @description What to do before it is tried again. */
            remedy?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId?: string;
            type: string;
            variables?: {
                [key: string]: unknown;
            };
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version?: string;
        };
        /** @description Open incidents with one cause: the same error at the same element of one version. */
        WorkflowIncidentGroup: {
            /** @description Id of a BPMN element. */
            elementId: string;
            elementName: string | null;
            errorCode: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            firstAt: string;
            incidents: number;
            instances: number;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            lastAt: string;
            newest: components["schemas"]["WorkflowIncident"];
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId: string;
            serviceName: string;
            type: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        /** @description An execution of a workflow, or what one of its call activities has started. */
        WorkflowInstance: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            endedAt?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            executionId: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            incidents: number;
            parentId: string | null;
            /** @enum {unknown} */
            phase: "NEW" | "RUNNING" | "COMPLETED" | "CANCELLED" | "ERROR";
            processId: string | null;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId?: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version?: string;
        };
        WorkflowInstanceCounts: {
            /** @description The newest instances are counted, at most 100000. */
            counted: number;
            /** @description Whether there are more instances than were counted. */
            isPartial: boolean;
            /** @description How many are in each phase. */
            phases: {
                [key: string]: number;
            };
            withIncidents: number;
        };
        WorkflowInstanceDetails: {
            /** @description Where it is: what is active or waits. */
            activities: {
                /**
                 * Format: uuid
                 * @description Of a call activity: what it has started.
                 */
                childInstanceId?: string;
                /**
                 * @description yyyy-MM-dd HH:mm:ss, UTC.
                 * @example 2026-01-31 22:38:08
                 */
                due?: string;
                /** @description Key of the element instance. */
                element: number;
                /** @description Id of a BPMN element. */
                elementId: string;
                /** @description What it runs. */
                job?: {
                    attempts: number;
                    /**
                     * Format: uuid
                     * @description UUID; version 7 where the platform mints it, so ids order by creation.
                     */
                    executionId: string;
                    state: string;
                };
                loopCounter?: number;
                message?: {
                    correlationKey: string;
                    name: string;
                };
                phase: string;
                scope: number;
                /** @description The signal that it waits for. */
                signal?: {
                    name: string;
                };
            }[];
            /** @description What its call activities have started, newest first; at most 100. */
            children: components["schemas"]["WorkflowInstance"][];
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            createdAt: string;
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            endedAt?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            executionId: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            incidents: number;
            openIncidents: components["schemas"]["WorkflowIncident"][];
            parentId: string | null;
            /** @enum {unknown} */
            phase: "NEW" | "RUNNING" | "COMPLETED" | "CANCELLED" | "ERROR";
            processId: string | null;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            serviceId?: string;
            variables: {
                [key: string]: unknown;
            };
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version?: string;
            /** @description What expressions have noticed, such as a variable that is not there: each once, at most 20. */
            warnings: {
                code: string;
                /** @description Id of a BPMN element. */
                elementId: string;
                expression: string;
                message: string;
            }[];
        };
        /** @description One thing that an instance did. */
        WorkflowJournalEntry: {
            /**
             * @description yyyy-MM-dd HH:mm:ss, UTC.
             * @example 2026-01-31 22:38:08
             */
            at: string;
            seq: number;
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description What has become of a message. */
        WorkflowMessageReceipt: {
            correlationKey: string;
            /** @description How many instances that waited for it have got it. */
            delivered: number;
            /** @description The same as a sentence. */
            detail: string;
            /** @description Until when it waits. Absent: it was delivered. */
            expiresAt?: string;
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            /**
             * @description STARTED, DELIVERED; else it waits: WAITING (nobody waits for the name now), OTHER_KEY (instances wait for the name with other correlation keys), KEY_ACTIVE (an instance that was started with this key is active, and no second one is started), UNKNOWN_NAME (no version of the workflow has the name).
             * @enum {unknown}
             */
            outcome: "STARTED" | "DELIVERED" | "WAITING" | "OTHER_KEY" | "KEY_ACTIVE" | "UNKNOWN_NAME";
            /** @description Executions that it has started. */
            started: string[];
        };
        /** @description A message for instances that wait for one of this name and correlation key, or for a start event of this name. */
        WorkflowMessageRequest: {
            /** @default  */
            correlationKey?: string;
            messageId?: string;
            name: string;
            /**
             * @description For so long it waits for an instance that wants it.
             * @default 3600
             */
            timeToLiveSeconds?: number;
            variables?: {
                [key: string]: unknown;
            };
        };
        /** @description Why a workflow file cannot be deployed, and where. */
        WorkflowProblem: {
            code: string;
            /** @description Id of the BPMN element; null where none can be named. */
            elementId: string | null;
            /** @description The text of the expression that is wrong. */
            expression?: string;
            message: string;
        };
        /** @description A timer start event of the deployed version of a workflow service. */
        WorkflowSchedule: {
            /** @description Id of a BPMN element. */
            elementId: string;
            /** @description Why it could not the last time; null when it could. */
            failure: string | null;
            /** @description How often in a row it could not start an instance. */
            failures: number;
            /** @description When it is to start an instance. Absent: not known, or stopped. */
            nextAt?: string;
            /** @description Since when it is stopped, after 20 failures in a row: mend the cause, then try it again. */
            stoppedAt?: string;
            /**
             * @description Three dot-separated numbers.
             * @example 1.0.0
             */
            version: string;
        };
        /** @description Whom a signal reaches. */
        WorkflowSignalReceipt: {
            /**
             * Format: uuid
             * @description UUID; version 7 where the platform mints it, so ids order by creation.
             */
            id: string;
            name: string;
            /** @description Executions that it has started, at the address of a subscription. */
            started: string[];
            /** @description How many start events a worker starts an instance for; at the address of a subscription, 0. */
            starting: number;
            /** @description How many events that wait receive it. 10000 stands for as many or more. */
            waiting: number;
        };
        /** @description A signal for every event that waits for its name now, and for start events of its name. */
        WorkflowSignalRequest: {
            name: string;
            variables?: {
                [key: string]: unknown;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    listApplications: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"][];
                };
            };
        };
    };
    createApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApplicationRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    getApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    deleteApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    renameApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApplicationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    rotateAccessKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateAccessKeyRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"];
                };
            };
        };
    };
    revealSecretAccessKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretAccessKey"];
                };
            };
        };
    };
    transferApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"][];
                };
            };
        };
    };
    subscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                applicationId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readAuditLog: {
        parameters: {
            query?: {
                /** @description Only this one, such as `access-key:rotate`. */
                action?: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
                /** @description Only what was done to this resource. */
                resourceId?: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
        };
    };
    authorize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalAccessTokenPrincipal"];
                };
            };
        };
    };
    listDataPools: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPool"][];
                };
            };
        };
    };
    createDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateDataPoolRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPool"];
                };
            };
        };
    };
    getDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPool"];
                };
            };
        };
    };
    deleteDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateDataPoolRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPool"];
                };
            };
        };
    };
    listDataPoolFiles: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPoolFile"][];
                };
            };
        };
    };
    downloadDataPoolFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description A part of the content, such as `bytes=0-1023` (RFC 9110, section 14). */
                Range?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                /** @description A plain name without slashes or control characters, at most 255 bytes in UTF-8. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    uploadDataPoolFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                /** @description A plain name without slashes or control characters, at most 255 bytes in UTF-8. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPoolFile"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPoolFile"];
                };
            };
        };
    };
    deleteDataPoolFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                /** @description A plain name without slashes or control characters, at most 255 bytes in UTF-8. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listDataPoolMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPoolMember"][];
                };
            };
        };
    };
    putDataPoolMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                memberId: string;
                memberType: "USER" | "ORGANIZATION";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DataPoolMemberRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPoolMember"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPoolMember"];
                };
            };
        };
    };
    removeDataPoolMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                memberId: string;
                memberType: "USER" | "ORGANIZATION";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    leaveDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    transferDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataPool"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Also of all organizations that the caller has joined, whatever the context is. */
                everywhere?: boolean;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeEvent"][];
                    "text/event-stream": unknown;
                };
            };
        };
    };
    listImplementations: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Implementation"][];
                };
            };
        };
    };
    createImplementation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateImplementationRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Implementation"];
                };
            };
        };
    };
    getImplementation: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Implementation"];
                };
            };
        };
    };
    deleteImplementation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateImplementation: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateImplementationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Implementation"];
                };
            };
        };
    };
    releaseImplementationAddress: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
                /** @description Last segment of the address, such as `portfolio-optimizer`. */
                name: string;
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listImplementationMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImplementationMember"][];
                };
            };
        };
    };
    putImplementationMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
                memberId: string;
                memberType: "USER" | "ORGANIZATION";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImplementationMemberRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImplementationMember"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImplementationMember"];
                };
            };
        };
    };
    removeImplementationMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
                memberId: string;
                memberType: "USER" | "ORGANIZATION";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    leaveImplementation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    transferImplementation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                implementationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Implementation"];
                };
            };
        };
    };
    listPublicImplementations: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
                /** @description Text that the name or the description contains. */
                q?: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Implementation"][];
                };
            };
        };
    };
    listOwnInvitations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
        };
    };
    declineInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    listLayers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Layer"][];
                };
            };
        };
    };
    purgeLayer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description `id` of the layer. */
                layerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Layer"][];
                };
            };
        };
    };
    rebuildLayer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description `id` of the layer. */
                layerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Layer"][];
                };
            };
        };
    };
    browseMarketplace: {
        parameters: {
            query?: {
                category?: "CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER";
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
                /** @description Part of a title, a summary or the name of a provider; upper or lower case. */
                q?: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketplaceEntry"][];
                };
            };
        };
    };
    getMarketplaceService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketplaceService"];
                };
            };
        };
    };
    getMarketplaceApiSpecification: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiSpecification"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDto"];
                };
            };
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUserRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDto"];
                };
            };
        };
    };
    deleteMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAccessTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTokensDto"];
                };
            };
        };
    };
    createAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAccessTokenRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTokenDto"];
                };
            };
        };
    };
    deleteAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    renewDefaultAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefaultAccessTokenDto"];
                };
            };
        };
    };
    uploadProfileImage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteProfileImage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"][];
                };
            };
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    deleteOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    renameOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
        };
    };
    invite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                invitationId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"][];
                };
            };
        };
    };
    changeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    leaveOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listProviderAccessTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderAccessToken"][];
                };
            };
        };
    };
    setProviderAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                provider: "IBM_QUANTUM" | "IONQ" | "IQM" | "AQT" | "DWAVE" | "QUANDELA";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderAccessTokenRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderAccessToken"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderAccessToken"];
                };
            };
        };
    };
    deleteProviderAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                provider: "IBM_QUANTUM" | "IONQ" | "IQM" | "AQT" | "DWAVE" | "QUANDELA";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    qcListDataPools: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcDataPool"][];
                };
            };
        };
    };
    qcCreateDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QcDataPoolRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcDataPool"];
                };
            };
        };
    };
    qcGetDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcDataPool"];
                };
            };
        };
    };
    qcUpdateDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QcDataPoolRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcDataPool"];
                };
            };
        };
    };
    qcDeleteDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    qcListFiles: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcDataPoolFile"][];
                };
            };
        };
    };
    qcAddFile: {
        parameters: {
            query?: {
                /** @description A plain name without slashes or control characters, at most 255 bytes in UTF-8. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcDataPoolFile"];
                };
            };
        };
    };
    qcDownloadFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description A part of the content, such as `bytes=0-1023` (RFC 9110, section 14). */
                Range?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    qcDeleteFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    qcGrantDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QcGrantRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcGrant"];
                };
            };
        };
    };
    qcListShares: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcShare"][];
                };
            };
        };
    };
    qcShareDataPool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QcShareRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcShare"];
                };
            };
        };
    };
    qcChangeShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                shareId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QcShareRoleRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcShare"];
                };
            };
        };
    };
    qcRemoveShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                dataPoolId: string;
                shareId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    qcSubscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QcSubscriptionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcSubscription"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcSubscription"];
                };
            };
        };
    };
    qcGetSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QcSubscription"];
                };
            };
        };
    };
    qcUnsubscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listRegistrations: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Only the person with this address; other filters are ignored. */
                email?: string;
                limit?: number;
                status?: "PENDING" | "APPROVED" | "REJECTED";
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registration"][];
                };
            };
        };
    };
    getRegistration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description Subject of the identity provider. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registration"];
                };
            };
        };
    };
    changeRegistration: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description Subject of the identity provider. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRegistrationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registration"];
                };
            };
        };
    };
    searchUsers: {
        parameters: {
            query: {
                /** @description Parts of a first name, last name or username, in any order; upper or lower case. */
                q: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserSearchDto"][];
                };
            };
        };
    };
    listOwnedExecutions: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId?: string;
                /** @description A word that a caller has marked executions with, without control characters. */
                tag?: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnedExecution"][];
                };
            };
        };
    };
    getOwnedExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description `wait=N`: wait for N seconds, at most 60 (RFC 7240). */
                Prefer?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceExecution"];
                };
            };
        };
    };
    deleteOwnedExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    cancelOwnedExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceExecution"];
                };
            };
        };
    };
    endExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceExecution"];
                };
            };
        };
    };
    getOwnedLog: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogEntry"][];
                    "text/event-stream": unknown;
                    "text/plain": unknown;
                };
            };
        };
    };
    getOwnedRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionRecord"];
                };
            };
        };
    };
    getOwnedResult: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultResponse"];
                };
            };
        };
    };
    getOwnedResultFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description A part of the content, such as `bytes=0-1023` (RFC 9110, section 14). */
                Range?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    listServices: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"][];
                };
            };
        };
    };
    createService: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOnPremiseServiceRequest"];
                "multipart/form-data": {
                    /** @description Of a workflow: as which its tasks call services. */
                    applicationId?: string;
                    configuration?: components["schemas"]["RuntimeConfiguration"];
                    description?: string;
                    name: string;
                    /** Format: binary */
                    source: string;
                    /**
                     * @description WORKFLOW: the source is a BPMN file. MANAGED otherwise.
                     * @enum {unknown}
                     */
                    type?: "MANAGED" | "WORKFLOW";
                    /**
                     * @description Three dot-separated numbers without leading zeros.
                     * @example 2.0.0
                     */
                    version?: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    getService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    deleteService: {
        parameters: {
            query?: {
                /** @description Delete it also when applications have subscribed to it. */
                force?: boolean;
            };
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateService: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateServiceRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    listProvidedExecutions: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvidedExecution"][];
                };
            };
        };
    };
    startJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description `wait=N`: wait for N seconds, at most 60 (RFC 7240). */
                Prefer?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecutionInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceExecution"];
                };
            };
        };
    };
    getProvidedRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionRecord"];
                };
            };
        };
    };
    getServiceLimits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceLimits"];
                };
            };
        };
    };
    setServiceLimits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceLimits"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceLimits"];
                };
            };
        };
    };
    getListing: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listing"];
                };
            };
        };
    };
    publishListing: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListingRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listing"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listing"];
                };
            };
        };
    };
    unpublishListing: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    transferService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    listShares: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Share"][];
                };
            };
        };
    };
    createShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateShareRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Share"];
                };
            };
        };
    };
    getShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                shareId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Share"];
                };
            };
        };
    };
    deleteShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                shareId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                shareId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeShareRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Share"];
                };
            };
        };
    };
    listServiceSubscriptions: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceSubscription"][];
                };
            };
        };
    };
    setSubscriptionLimits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsageLimitsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageLimitsRequest"];
                };
            };
        };
    };
    reportUsage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsageReport"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageRecord"];
                };
            };
        };
    };
    listServiceVersions: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"][];
                };
            };
        };
    };
    addServiceVersion: {
        parameters: {
            query?: {
                /**
                 * @description Three dot-separated numbers without leading zeros.
                 * @example 2.0.0
                 */
                version?: string;
            };
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddOnPremiseVersionRequest"];
                "application/xml": string;
                "application/zip": string;
                "multipart/form-data": {
                    /** @description Of a workflow: as which its tasks call services. */
                    applicationId?: string;
                    configuration?: components["schemas"]["RuntimeConfiguration"];
                    description?: string;
                    name?: string;
                    /** Format: binary */
                    source: string;
                    /**
                     * @description WORKFLOW: the source is a BPMN file. MANAGED otherwise.
                     * @enum {unknown}
                     */
                    type?: "MANAGED" | "WORKFLOW";
                    /**
                     * @description Three dot-separated numbers without leading zeros.
                     * @example 2.0.0
                     */
                    version?: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
        };
    };
    getServiceVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
        };
    };
    getApiSpecification: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiSpecification"];
                };
            };
        };
    };
    uploadApiSpecification: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiSpecification"];
                "application/openapi+yaml": components["schemas"]["ApiSpecification"];
                "application/x-yaml": components["schemas"]["ApiSpecification"];
                "application/yaml": components["schemas"]["ApiSpecification"];
                "text/yaml": components["schemas"]["ApiSpecification"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiSpecification"];
                };
            };
        };
    };
    deleteApiSpecification: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getBuild: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description `wait=N`: wait for N seconds, at most 60 (RFC 7240). */
                Prefer?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
        };
    };
    getBuildLog: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogEntry"][];
                    "text/event-stream": unknown;
                    "text/plain": unknown;
                };
            };
        };
    };
    configureServiceVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuntimeConfiguration"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
        };
    };
    startJobOfVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description `wait=N`: wait for N seconds, at most 60 (RFC 7240). */
                Prefer?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecutionInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceExecution"];
                };
            };
        };
    };
    publishServiceVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublicationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
        };
    };
    retireServiceVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetirementRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
        };
    };
    withdrawRetirement: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
        };
    };
    downloadSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": unknown;
                    "application/zip": unknown;
                };
            };
        };
    };
    replaceSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/xml": string;
                "application/zip": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
        };
    };
    setTarget: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
        };
    };
    setWorkflowApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the state that is to be changed. 412 when it has changed meanwhile. */
                "If-Match"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowApplicationRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceVersion"];
                };
            };
        };
    };
    listWorkflowIncidents: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowIncident"][];
                };
            };
        };
    };
    listWorkflowInstances: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                /** @description Begun at this time or later, in UTC. */
                from?: string;
                /** @description Only those with open incidents, or only those without. */
                hasIncidents?: boolean;
                limit?: number;
                phase?: "NEW" | "RUNNING" | "COMPLETED" | "CANCELLED" | "ERROR";
                /** @description Begun before this time, in UTC. */
                to?: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version?: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowInstance"][];
                };
            };
        };
    };
    countWorkflowInstances: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowInstanceCounts"];
                };
            };
        };
    };
    publishWorkflowMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowMessageRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowMessageReceipt"];
                };
            };
        };
    };
    listWorkflowSchedules: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowSchedule"][];
                };
            };
        };
    };
    retryWorkflowSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                elementId: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowSchedule"];
                };
            };
        };
    };
    listSharedServices: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedService"][];
                };
            };
        };
    };
    getSharedService: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedService"];
                };
            };
        };
    };
    getSignInPlace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInPlace"];
                };
            };
        };
    };
    renewSigningKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyRenewal"][];
                };
            };
        };
    };
    getStorage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageUsage"];
                };
            };
        };
    };
    setStorageQuota: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                ownerId: string;
                ownerType: "USER" | "ORGANIZATION";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StorageQuotaRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageQuota"];
                };
            };
        };
    };
    recountStorage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageRecount"];
                };
            };
        };
    };
    setRetention: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetentionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageUsage"];
                };
            };
        };
    };
    readCosts: {
        parameters: {
            query: {
                /**
                 * @description yyyy-MM, in UTC.
                 * @example 2026-01
                 */
                month: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonthlyUsage"];
                };
            };
        };
    };
    readRevenue: {
        parameters: {
            query: {
                /**
                 * @description yyyy-MM, in UTC.
                 * @example 2026-01
                 */
                month: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonthlyUsage"];
                };
            };
        };
    };
    getRegistrationStatus: {
        parameters: {
            query: {
                email: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationResponse"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description Subject of the identity provider. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserOverviewDto"];
                };
            };
        };
    };
    getProfileImage: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Subject of the identity provider. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": unknown;
                    "image/png": unknown;
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchUserRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchUserResponseDto"];
                };
            };
        };
    };
    listWorkflowIncidentGroups: {
        parameters: {
            query?: {
                elementId?: string;
                errorCode?: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId?: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version?: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowIncidentGroup"][];
                };
            };
        };
    };
    listAllWorkflowIncidents: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                elementId?: string;
                errorCode?: string;
                limit?: number;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId?: string;
                /**
                 * @description Three dot-separated numbers.
                 * @example 1.0.0
                 */
                version?: string;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowIncident"][];
                };
            };
        };
    };
    retryWorkflowIncidents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetryIncidentsRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryIncidentsReceipt"];
                };
            };
        };
    };
    getWorkflowInstance: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                instanceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowInstanceDetails"];
                };
            };
        };
    };
    retryWorkflowIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                incident: number;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                instanceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetryIncidentRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowInstance"];
                };
            };
        };
    };
    getWorkflowJournal: {
        parameters: {
            query?: {
                /** @description Number of the last entry that is known. */
                after?: number;
                limit?: number;
            };
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                instanceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowJournalEntry"][];
                };
            };
        };
    };
    getWorkflowResult: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultResponse"];
                };
            };
        };
    };
    broadcastWorkflowSignal: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description Id of an organization that the caller has joined, to act for it. Left out: personally. */
                "X-OrganizationId"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowSignalRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowSignalReceipt"];
                };
            };
        };
    };
}
