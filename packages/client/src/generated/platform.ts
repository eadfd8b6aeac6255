// Made from the OpenAPI document by `npm run generate`. Change the endpoint, not this file.
export interface components {
    schemas: {
        /** Become a member of the implementation that the caller is invited to */
        acceptImplementationInvitation: {
            answer: components["schemas"]["Implementation"];
            parameters: { invitationId: string; };
        };
        /** Join the organization that has invited the caller */
        acceptInvitation: { answer: components["schemas"]["Organization"]; parameters: { invitationId: string; }; };
        AccessKey: {
            /** Public half of the key pair. */
            accessKeyId: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** Set when a newer key pair replaces this one: until then both work. */
            expiresAt: string | null;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** Masked, except in the answer that created it and when revealed. */
            secretAccessKey: string;
        };
        AccessTokenDto: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd. Null means no expiry. */
            expiresAt: string | null;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            scope?: components["schemas"]["AccessTokenScope"];
            /** yyyy-MM-dd HH:mm:ss, UTC. Null when never used. */
            usedAt: string | null;
            /** Raw token, only in the answer that created it. */
            value: string | null;
        };
        AccessTokenMetadataDto: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd. Null means no expiry. */
            expiresAt: string | null;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            scope?: components["schemas"]["AccessTokenScope"];
            /** yyyy-MM-dd HH:mm:ss, UTC. Null when never used. */
            usedAt: string | null;
        };
        AccessTokenScope: {
            /** The operations that it may call, as far as the role of its user allows them. */
            operations: string[];
            /** The organization for which it acts, named in X-OrganizationId as well. Null: personally. */
            organizationId?: string | null;
            /** It may act on these services and their executions only. Left out: on everything of its owner. */
            serviceIds?: string[];
        };
        AccessTokensDto: { accessTokens: components["schemas"]["AccessTokenDto"][]; defaultToken: string; };
        AddOnPremiseVersionRequest: { target: components["schemas"]["TargetRequest"]; };
        /** Add the next version as a draft */
        addServiceVersion: {
            answer: components["schemas"]["ServiceVersion"];
            parameters: { serviceId: string; version?: string; };
            request: { body: unknown; json: components["schemas"]["AddOnPremiseVersionRequest"]; };
        };
        /** OpenAPI document of a version of a service. */
        ApiSpecification: {
            /** 3.0.x or 3.1.x. */
            openapi: string;
        } & { [key: string]: unknown; };
        Application: {
            /** Newest first. */
            accessKeys: components["schemas"]["AccessKey"][];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            /** Address at which the application requests bearer tokens. */
            tokenEndpoint: string;
        };
        /** A change of rights, keys or publications, or sign-ins of a day from one network. */
        AuditEntry: {
            /** The change: the kind of resource and the operation. */
            action: string;
            /** The user who did it; `unknown` of a sign-in that was refused. */
            actorId: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            at: string;
            /** Details of the change, without secrets. */
            detail: { [key: string]: unknown; };
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            resourceId: string;
        };
        /** Resolve a personal access token into its user */
        authorize: { answer: components["schemas"]["PersonalAccessTokenPrincipal"]; };
        BatchUserRequest: {
            /** Duplicates are ignored. */
            ids: string[];
        };
        BatchUserResponseDto: {
            /** The other ids, joined with commas, in the order asked; empty when there are none. */
            notFound: string;
            /** The approved users among them, in the order asked. */
            users: components["schemas"]["UserOverviewDto"][];
        };
        /** Branches that a push can neither delete nor rewrite, whoever pushes. */
        BranchProtection: {
            /** True: the default branch is protected. */
            defaultBranch: boolean;
            /** Further protected branches; `*` stands for any text, as in `release/*`. */
            patterns: string[];
        };
        /** Broadcast a signal to own workflows */
        broadcastWorkflowSignal: {
            answer: components["schemas"]["WorkflowSignalReceipt"];
            request: { json: components["schemas"]["WorkflowSignalRequest"]; };
        };
        /** List or search the services in the marketplace, newest first */
        browseMarketplace: {
            answer: components["schemas"]["MarketplaceEntry"][];
            parameters: {
                category?: "CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER";
                cursor?: string;
                limit?: number;
                q?: string;
            };
        };
        /** Turning uploaded source into something that can be run. */
        Build: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            endedAt?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            problem?: components["schemas"]["BuildProblem"];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            startedAt?: string;
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED";
        };
        BuildProblem: { code: string; detail: string; title: string; };
        /** Cancel a build that waits or runs */
        cancelBuild: { answer: components["schemas"]["Build"]; parameters: { serviceId: string; version: string; }; };
        /** Cancel a PENDING or RUNNING execution */
        cancelOwnedExecution: {
            answer: components["schemas"]["ServiceExecution"];
            parameters: { executionId: string; };
        };
        ChangedFile: {
            /** Lines; absent for a binary file. */
            added?: number;
            change: "ADDED" | "MODIFIED" | "DELETED" | "RENAMED" | "TYPE_CHANGED";
            /** Earlier path of a renamed file. */
            formerPath?: string;
            path: string;
            /** Lines; absent for a binary file. */
            removed?: number;
        };
        /** A hint that something has changed: ids only. Absent `organizationId`: personal. */
        ChangeEvent: {
            /** execution: an execution of the context has begun or changed its status. instance: the same of a workflow, with its incidents. provided-execution: an execution of a service of the context, of any owner. build: of a service version. reset: changes may have been missed; read again what is shown. */
            event: "execution" | "instance" | "provided-execution" | "build" | "reset";
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            executionId?: string;
            /** Position in the stream, for `Last-Event-ID`. */
            id: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            organizationId?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId?: string;
            /** Three dot-separated numbers. */
            version?: string;
        };
        /** Give a member another role */
        changeMember: {
            answer: components["schemas"]["Member"];
            parameters: { organizationId: string; userId: string; };
            request: { json: components["schemas"]["MemberRequest"]; };
        };
        /** Approve or reject a registration; switch an account off or on */
        changeRegistration: {
            answer: components["schemas"]["Registration"];
            parameters: { id: string; };
            request: { json: components["schemas"]["ChangeRegistrationRequest"]; };
        };
        /** Members that are absent stay as they are. */
        ChangeRegistrationRequest: { enabled?: boolean; status?: "APPROVED" | "REJECTED"; };
        /** Change when a share is active */
        changeShare: {
            answer: components["schemas"]["Share"];
            parameters: { serviceId: string; shareId: string; };
            request: { json: components["schemas"]["ChangeShareRequest"]; };
        };
        /** A constraint that is absent stays; null takes it away. */
        ChangeShareRequest: {
            /** Not active any more from then on. Null: without end. yyyy-MM-dd HH:mm:ss, UTC. */
            endDate?: string | null;
            /** Not active before. Null: from now on. yyyy-MM-dd HH:mm:ss, UTC. */
            startDate?: string | null;
        };
        /** A commit with its changes against its first parent. */
        CommitDetails: {
            /** Name of the author. */
            author: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            authoredAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            committedAt: string;
            /** At most 300. */
            files: components["schemas"]["ChangedFile"][];
            /** Commit, 40 hexadecimal digits. */
            id: string;
            /** True if files or a part of the patch were left out. */
            isCut: boolean;
            /** The first 65536 bytes of it. */
            message: string;
            parents: string[];
            /** Unified diff of them, at most 2097152 bytes. */
            patch: string;
        };
        /** Make a commit of uploaded files, or of a ZIP that becomes the whole tree */
        commitToImplementation: {
            answer: components["schemas"]["MadeCommit"];
            parameters: { implementationId: string; };
            request: { body: unknown; };
        };
        /** Compare two branches, tags or commits */
        compareImplementationRefs: {
            answer: components["schemas"]["Comparison"];
            parameters: { base: string; head: string; implementationId: string; };
        };
        Comparison: {
            /** Commits of the head that the base lacks. */
            ahead: number;
            /** Commit, 40 hexadecimal digits. */
            base: string;
            /** Commits of the base that the head lacks. */
            behind: number;
            /** Commits of the head that the base lacks, newest first; at most 100. */
            commits: components["schemas"]["RepositoryCommit"][];
            /** At most 300. */
            files: components["schemas"]["ChangedFile"][];
            /** Commit, 40 hexadecimal digits. */
            head: string;
            /** True if files or a part of the patch were left out. */
            isCut: boolean;
            /** Common ancestor that the changes are counted from, or null. */
            mergeBase: string | null;
            /** Unified diff of them, at most 2097152 bytes. */
            patch: string;
        };
        /** Change resources, limits and environment variables of a draft */
        configureServiceVersion: {
            answer: components["schemas"]["ServiceVersion"];
            parameters: { serviceId: string; version: string; };
            request: { json: components["schemas"]["RuntimeConfiguration"]; };
        };
        /** Count the executions of the caller by status, per day or hour */
        countOwnedExecutions: {
            answer: components["schemas"]["ExecutionCounts"];
            parameters: {
                applicationId?: string;
                from?: string;
                per?: "hour" | "day";
                personId?: string;
                serviceId?: string;
                status?: string;
                tasks?: boolean;
                to?: string;
                version?: string;
                workflowElementId?: string;
                workflowId?: string;
                workflowInstanceId?: string;
            };
        };
        /** Count the executions of an own service, of any owner, by status, per day or hour */
        countProvidedExecutions: {
            answer: components["schemas"]["ExecutionCounts"];
            parameters: {
                from?: string;
                per?: "hour" | "day";
                serviceId: string;
                status?: string;
                to?: string;
                version?: string;
            };
        };
        /** Count the instances of an own workflow by phase */
        countWorkflowInstances: {
            answer: components["schemas"]["WorkflowInstanceCounts"];
            parameters: {
                elementId?: string;
                errorCode?: string;
                from?: string;
                serviceId: string;
                to?: string;
                version?: string;
            };
        };
        /** Create a personal access token */
        createAccessToken: {
            answer: components["schemas"]["AccessTokenDto"];
            request: { json: components["schemas"]["CreateAccessTokenRequest"]; };
        };
        /** A token with a `scope` needs `expiresAt`, at most 366 days from now. */
        CreateAccessTokenRequest: {
            /** yyyy-MM-dd; valid through the end of that day, UTC. */
            expiresAt?: string | null;
            name: string;
            scope?: components["schemas"]["AccessTokenScope"];
        };
        /** Create an application with its first access key */
        createApplication: {
            answer: components["schemas"]["Application"];
            request: { json: components["schemas"]["CreateApplicationRequest"]; };
        };
        CreateApplicationRequest: { name: string; };
        /** Get an address for the download of the log of a build */
        createBuildLogTicket: {
            answer: components["schemas"]["DownloadTicket"];
            parameters: { serviceId: string; version: string; };
        };
        /** Create an empty data pool */
        createDataPool: {
            answer: components["schemas"]["DataPool"];
            request: { json: components["schemas"]["CreateDataPoolRequest"]; };
        };
        /** Get an address for the download of a file of a data pool */
        createDataPoolFileTicket: {
            answer: components["schemas"]["DownloadTicket"];
            parameters: { dataPoolId: string; name: string; };
        };
        CreateDataPoolRequest: { description?: string; name: string; };
        /** Create an empty implementation */
        createImplementation: {
            answer: components["schemas"]["Implementation"];
            request: { json: components["schemas"]["CreateImplementationRequest"]; };
        };
        CreateImplementationRequest: {
            defaultBranch?: string;
            description?: string;
            /** Last segment of the address, such as `portfolio-optimizer`. */
            name: string;
            /** PRIVATE: owner and members. PUBLIC: anybody can clone and read it, also without an account. */
            visibility?: "PRIVATE" | "PUBLIC";
        };
        CreateOnPremiseServiceRequest: {
            description?: string;
            name: string;
            target: components["schemas"]["TargetRequest"];
            type: "ON_PREMISE";
        };
        /** Create an organization; the caller becomes its owner */
        createOrganization: {
            answer: components["schemas"]["Organization"];
            request: { json: components["schemas"]["OrganizationRequest"]; };
        };
        /** Get an address for the download of a result file */
        createResultFileTicket: {
            answer: components["schemas"]["DownloadTicket"];
            parameters: { executionId: string; file: string; };
        };
        /** Create a service by uploading the ZIP of its project or a BPMN file, or one that runs elsewhere */
        createService: {
            answer: components["schemas"]["Service"];
            request: { body: unknown; json: components["schemas"]["CreateOnPremiseServiceRequest"]; };
        };
        /** Make a service of a commit, with a draft version that is built at once */
        createServiceOfImplementation: {
            answer: components["schemas"]["Service"];
            parameters: { implementationId: string; };
            request: { json: components["schemas"]["CreateServiceOfImplementationRequest"]; };
        };
        CreateServiceOfImplementationRequest: {
            configuration?: components["schemas"]["RuntimeConfiguration"];
            description?: string;
            /** Name of the service; that of the implementation when it is left out. */
            name?: string;
            /** Branch, tag or commit; the default branch when it is left out. */
            ref?: string;
            /** Three dot-separated numbers without leading zeros. */
            version?: string;
        };
        /** Share a service with a user or an organization */
        createShare: {
            answer: components["schemas"]["Share"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["CreateShareRequest"]; };
        };
        CreateShareRequest: {
            /** Not active any more from then on. Null: without end. yyyy-MM-dd HH:mm:ss, UTC. */
            endDate?: string | null;
            recipient: components["schemas"]["Recipient"];
            /** Not active before. Null: from now on. yyyy-MM-dd HH:mm:ss, UTC. */
            startDate?: string | null;
        };
        /** Get an address for the download of the source of a version */
        createSourceTicket: {
            answer: components["schemas"]["DownloadTicket"];
            parameters: { serviceId: string; version: string; };
        };
        /** Files that executions can read; `role` is that of the caller. */
        DataPool: {
            /** Size of all its files together. */
            bytes: number;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            description: string;
            /** Number of its files. */
            files: number;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            /** VIEWER reads files, MAINTAINER changes them as well, OWNER also manages members and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        DataPoolFile: {
            bytes: number;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** SHA-256 of the content, in hex; quoted, it is the entity tag. */
            digest: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** As it was uploaded. */
            mediaType: string;
            name: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            updatedAt: string;
        };
        /** A user or organization that may use a data pool beside its owner. */
        DataPoolMember: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            addedAt: string;
            /** Id of the user or organization. */
            id: string;
            /** VIEWER reads files, MAINTAINER changes them as well, OWNER also manages members and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            type: "USER" | "ORGANIZATION";
        };
        DataPoolMemberRequest: {
            /** VIEWER reads files, MAINTAINER changes them as well, OWNER also manages members and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        DataPoolReference: {
            /** Token with which somebody lends the application their rights on the data pool. */
            grant?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            ref: "DATAPOOL" | "datapool";
        };
        /** Decline an invitation to an implementation */
        declineImplementationInvitation: { parameters: { invitationId: string; }; };
        /** Decline an invitation */
        declineInvitation: { parameters: { invitationId: string; }; };
        DefaultAccessTokenDto: { defaultToken: string; };
        /** Delete a personal access token */
        deleteAccessToken: { parameters: { id: string; }; };
        /** Take the uploaded API specification of a draft away */
        deleteApiSpecification: { parameters: { serviceId: string; version: string; }; };
        /** Delete an application, its access keys and its subscriptions */
        deleteApplication: { parameters: { applicationId: string; }; };
        /** Delete a data pool with its files */
        deleteDataPool: { parameters: { dataPoolId: string; }; };
        /** Delete a file */
        deleteDataPoolFile: { parameters: { dataPoolId: string; name: string; }; };
        /** Delete an implementation with its code */
        deleteImplementation: { parameters: { implementationId: string; }; };
        /** Delete an organization that owns nothing any more */
        deleteOrganization: { parameters: { organizationId: string; }; };
        /** Delete an execution that has ended, with its result, result files and log */
        deleteOwnedExecution: { parameters: { executionId: string; }; };
        /** Delete the access token for a provider */
        deleteProviderAccessToken: {
            parameters: { provider: "IBM_QUANTUM" | "IONQ" | "IQM" | "AQT" | "DWAVE" | "QUANDELA"; };
        };
        /** Delete a service with its versions and subscriptions */
        deleteService: { parameters: { force?: boolean; serviceId: string; }; };
        /** Delete a draft */
        deleteServiceVersion: { parameters: { serviceId: string; version: string; }; };
        /** Remove a share */
        deleteShare: { parameters: { serviceId: string; shareId: string; }; };
        /** Download what a ticket names */
        download: { parameters: { ticket: string; }; };
        /** Download a file, or with Range a part of it */
        downloadDataPoolFile: { parameters: { dataPoolId: string; name: string; }; };
        /** Download all files of a commit as ZIP or tar */
        downloadImplementationArchive: {
            parameters: { format?: "zip" | "tar"; implementationId: string; ref?: string; };
        };
        /** Download the source as it was uploaded */
        downloadSource: { parameters: { serviceId: string; version: string; }; };
        DownloadTicket: {
            /** Address of the download. It needs no credential. */
            href: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            validUntil: string;
        };
        /** An element template of Camunda 8. */
        ElementTemplate: {
            $schema: string;
            appliesTo: string[];
            description?: string;
            elementType: { value: string; };
            groups: { id: string; label: string; }[];
            /** Names the service, so that a task keeps its template when the service is renamed. */
            id: string;
            name: string;
            properties: { [key: string]: unknown; }[];
            /** Grows with the version of the service. */
            version: number;
        };
        /** End any execution at once, even one that blocks its slot */
        endExecution: { answer: components["schemas"]["ServiceExecution"]; parameters: { executionId: string; }; };
        /** End a mirror, or break an import off; what has arrived stays */
        endImplementationImport: { parameters: { implementationId: string; }; };
        ExecutionCounts: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            from: string;
            /** Hours or days (UTC) in which executions were created, oldest first. Those without are absent. */
            times: {
                /** yyyy-MM-dd HH:mm:ss, UTC. */
                at: string;
                /** Numbers by status; a status that none has is absent. */
                counts: {
                    CANCELLED?: number;
                    FAILED?: number;
                    PENDING?: number;
                    RUNNING?: number;
                    SUCCEEDED?: number;
                    UNKNOWN?: number;
                };
                /** Seconds for which those that have ended ran. */
                runSeconds: number;
            }[];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            to: string;
            /** Numbers by status; a status that none has is absent. */
            total: {
                CANCELLED?: number;
                FAILED?: number;
                PENDING?: number;
                RUNNING?: number;
                SUCCEEDED?: number;
                UNKNOWN?: number;
            };
        };
        /** The input: a JSON object. What a service takes beside `data` and `params`, its own document says. */
        ExecutionInput: {
            /** Secrets by the name of the parameter that takes them. Sealed, and never shown. */
            $secrets?: { [key: string]: string; };
            /** Words to find the execution by. The service does not get them. */
            $tags?: string[];
            data?: components["schemas"]["InputData"];
            params?: components["schemas"]["InputParams"];
        } & { [key: string]: components["schemas"]["DataPoolReference"] | unknown; };
        /** Facts that are needed to run an execution again and to trust it. The provider of the service sees hashes and sizes, neither whose it is nor workflow, input, result, names of files or messages. */
        ExecutionRecord: {
            /** The ZIP that was uploaded, or taken from the commit that `origin` names. Null when it has not run, or nothing is known of its run. */
            code: {
                /** SHA-256 in hex. */
                digest: string;
                origin?: components["schemas"]["SourceOrigin"];
            } | null;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** Only for whom it was started. */
            dataPools?: { id: string; parameter: string; }[];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            endedAt?: string;
            /** The software that it ran with: Python and its packages, or an image. The digest is that of all of it. */
            environment: {
                /** SHA-256 in hex. */
                digest: string;
                /** The installed packages, by name. The digest is that of the list of its files with their hashes. */
                packages: {
                    /** SHA-256 in hex. */
                    digest: string;
                    name: string;
                    version: string;
                }[];
                platform: string;
                python: string;
            } | {
                /** SHA-256 in hex. */
                digest: string;
                /** Id of the image at the engine that built it: `sha256:` and the digest. */
                image: string;
                /** For example `linux/amd64`. */
                platform: string;
            } | null;
            /** Null before the end. */
            exit: {
                /** Only for whom it was started. */
                detail?: string;
                /** SUCCEEDED, or what ended it: a limit, a signal, the type of the exception, a cancellation. */
                reason: string;
            } | null;
            files: {
                bytes: number;
                /** SHA-256 in hex. */
                digest?: string;
                /** Only for whom it was started. */
                name?: string;
            }[];
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** The text of the input object, without `$secrets`. Null of one that was accepted before records. */
            input: {
                bytes: number;
                /** SHA-256 in hex. */
                digest: string;
            } | null;
            /** The share of the machine that it was promised, and the time that it might run. Null before it is started. */
            limits: {
                cpus: number;
                gpus: number;
                gpuType: string | null;
                memoryBytes: number;
                runTimeMs?: number;
            } | null;
            /** The JSON text of the result, as it stands at the root without the HAL members. Null without one. */
            result: {
                bytes: number;
                /** SHA-256 in hex. */
                digest: string;
            } | null;
            /** The platform and the machine that ran it. */
            runtime: {
                /** A hash of the code of the runner. */
                version: string;
            } | null;
            service: {
                /** UUID; version 7 where the platform mints it, so ids order by creation. */
                id?: string;
                /** Absent when the service has been deleted. */
                name?: string;
                /** Three dot-separated numbers. */
                version?: string;
                /** UUID; version 7 where the platform mints it, so ids order by creation. */
                versionId: string;
            };
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            startedAt?: string;
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "CANCELLED" | "FAILED" | "UNKNOWN";
            timings: {
                /** From handing over the job until every process of it had ended. */
                ranMs: number | null;
                /** From acceptance until a worker took it. */
                waitedMs: number | null;
            };
            /** Null when nothing of it ran, or nothing is known. */
            usage: {
                bytesIn: number;
                /** The result and all result files. */
                bytesOut: number;
                cpuSeconds: number | null;
                logBytes: number;
                /** Source of both figures: CGROUPS_V2, CGROUPS_V1 or the ENGINE of containers. On a machine without writable cgroups they are what the operating system reports of its PROCESSES, with the memory of the largest one. Null where nothing was measured. */
                measuredBy: string | null;
                peakMemoryBytes: number | null;
            } | null;
            /** The BPMN element whose task started it. */
            workflowElementId?: string;
            /** Execution of the workflow whose task started it. */
            workflowId?: string;
            /** Instance of this task: the execution, or what a call activity in it has started. */
            workflowInstanceId?: string;
        };
        /** Find organizations by their whole name or their id, to share something with them */
        findOrganizations: { answer: components["schemas"]["FoundOrganization"][]; parameters: { q: string; }; };
        FoundOrganization: {
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
        };
        FoundThing: {
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            type: "SERVICE" | "APPLICATION" | "DATA_POOL" | "IMPLEMENTATION";
        };
        /** Read the API specification of a version */
        getApiSpecification: {
            answer: components["schemas"]["ApiSpecification"];
            parameters: { serviceId: string; version: string; };
        };
        /** Read an application */
        getApplication: { answer: components["schemas"]["Application"]; parameters: { applicationId: string; }; };
        /** Read the build of a version */
        getBuild: { answer: components["schemas"]["Build"]; parameters: { serviceId: string; version: string; }; };
        /** Read or follow the log of the build */
        getBuildLog: {
            answer: components["schemas"]["LogEntry"][];
            parameters: { serviceId: string; version: string; };
        };
        /** Read a data pool */
        getDataPool: { answer: components["schemas"]["DataPool"]; parameters: { dataPoolId: string; }; };
        /** Read an implementation */
        getImplementation: {
            answer: components["schemas"]["Implementation"];
            parameters: { implementationId: string; };
        };
        /** Read where an implementation comes from, and how far its import is */
        getImplementationImport: {
            answer: components["schemas"]["ImplementationImport"];
            parameters: { implementationId: string; };
        };
        /** Read how a service of one’s own is offered */
        getListing: { answer: components["schemas"]["Listing"]; parameters: { serviceId: string; }; };
        /** Read the API specification of a service in the marketplace (OpenAPI) */
        getMarketplaceApiSpecification: {
            answer: components["schemas"]["ApiSpecification"];
            parameters: { serviceId: string; };
        };
        /** Read a service in the marketplace with its pricing plans */
        getMarketplaceService: {
            answer: components["schemas"]["MarketplaceService"];
            parameters: { serviceId: string; };
        };
        /** Read your profile */
        getMe: { answer: components["schemas"]["UserDto"]; };
        /** Read an organization */
        getOrganization: { answer: components["schemas"]["Organization"]; parameters: { organizationId: string; }; };
        /** Read the status of an execution */
        getOwnedExecution: { answer: components["schemas"]["ServiceExecution"]; parameters: { executionId: string; }; };
        /** Read the input of an execution, without secrets and tags */
        getOwnedInput: { answer: components["schemas"]["ExecutionInput"]; parameters: { executionId: string; }; };
        /** Read or follow the log of an execution */
        getOwnedLog: { answer: components["schemas"]["LogEntry"][]; parameters: { executionId: string; }; };
        /** Read the record of an execution: what is needed to run it again, and to trust it */
        getOwnedRecord: { answer: components["schemas"]["ExecutionRecord"]; parameters: { executionId: string; }; };
        /** Read the result of an execution */
        getOwnedResult: { answer: components["schemas"]["ResultResponse"]; parameters: { executionId: string; }; };
        /** Download a result file */
        getOwnedResultFile: { parameters: { executionId: string; file: string; }; };
        /** Read the state of the installation: queues, processes, workers, disks and versions */
        getPlatformStatus: { answer: components["schemas"]["PlatformStatus"]; };
        /** Read the profile image of a user */
        getProfileImage: { parameters: { id: string; }; };
        /** Read the record of an execution of an own service, of any owner: hashes, sizes, times and usage */
        getProvidedRecord: {
            answer: components["schemas"]["ExecutionRecord"];
            parameters: { executionId: string; serviceId: string; };
        };
        /** Read the registration of a person */
        getRegistration: { answer: components["schemas"]["Registration"]; parameters: { id: string; }; };
        /** Read how far the registration of an e-mail address is */
        getRegistrationStatus: {
            answer: components["schemas"]["RegistrationResponse"];
            parameters: { email: string; };
        };
        /** Read a service with its newest versions */
        getService: { answer: components["schemas"]["Service"]; parameters: { serviceId: string; }; };
        /** Read how much of a service runs at once, and what every subscription to it may use */
        getServiceLimits: { answer: components["schemas"]["ServiceLimits"]; parameters: { serviceId: string; }; };
        /** Read which pushes become versions of a service */
        getServiceSource: { answer: components["schemas"]["ServiceSource"]; parameters: { serviceId: string; }; };
        /** Read a version */
        getServiceVersion: {
            answer: components["schemas"]["ServiceVersion"];
            parameters: { serviceId: string; version: string; };
        };
        /** Read who you are, what you have joined and what this installation offers */
        getSession: { answer: components["schemas"]["Session"]; };
        /** Read a share */
        getShare: { answer: components["schemas"]["Share"]; parameters: { serviceId: string; shareId: string; }; };
        /** Read the API specification of a version that the recipient of a share may run (OpenAPI) */
        getSharedApiSpecification: {
            answer: components["schemas"]["ApiSpecification"];
            parameters: { serviceId: string; version: string; };
        };
        /** Read a service that is shared with the caller or the organization now */
        getSharedService: { answer: components["schemas"]["SharedService"]; parameters: { serviceId: string; }; };
        /** Read the address of the sign-in */
        getSignInEndpoint: { answer: components["schemas"]["SignInEndpoint"]; };
        /** Read what the caller, or the organization, keeps on the platform, and may keep */
        getStorage: { answer: components["schemas"]["StorageUsage"]; };
        /** Read a subscription */
        getSubscription: {
            answer: components["schemas"]["Subscription"];
            parameters: { applicationId: string; subscriptionId: string; };
        };
        /** Read the name of a user */
        getUser: { answer: components["schemas"]["UserOverviewDto"]; parameters: { id: string; }; };
        /** Read the names of at most 200 users */
        getUsers: {
            answer: components["schemas"]["BatchUserResponseDto"];
            request: { json: components["schemas"]["BatchUserRequest"]; };
        };
        /** Read where an instance is, its open incidents, and its variables */
        getWorkflowInstance: {
            answer: components["schemas"]["WorkflowInstanceDetails"];
            parameters: { instanceId: string; };
        };
        /** Read what an instance did, in order */
        getWorkflowJournal: {
            answer: components["schemas"]["WorkflowJournalEntry"][];
            parameters: { after?: number; instanceId: string; limit?: number; };
        };
        /** Read the result of an execution of a workflow */
        getWorkflowResult: { answer: components["schemas"]["ResultResponse"]; parameters: { executionId: string; }; };
        /** Read the variables of each scope of an instance, now or after an earlier step */
        getWorkflowVariables: {
            answer: components["schemas"]["WorkflowVariables"];
            parameters: { elementId?: string; instanceId: string; step?: number; };
        };
        /** A version that asks for a GPU can be published only where the installation has one. */
        GpuConfiguration: { count: number; type?: string; };
        /** A Git repository; `role` is that of the caller. */
        Implementation: {
            /**
             * Runtime of the service that the default branch makes: DOCKER with a `Dockerfile` or `Containerfile` at its root, PYTHON_TEMPLATE with `src/program.py`, else null.
             * @enum {string|null}
             */
            buildable: "PYTHON_TEMPLATE" | "DOCKER" | null;
            /** Size of the repository after the last push. */
            bytes: number;
            /** Address for `git clone`. */
            cloneUrl: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            defaultBranch: string;
            description: string;
            /** Addresses from before a change of name or owner, which still answer. Empty in lists. */
            formerUrls: string[];
            /** Commit of the default branch; null while that branch does not exist. */
            head: string | null;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            protection: components["schemas"]["BranchProtection"];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            pushedAt?: string;
            /**
             * Reason why nobody can push: IMPORT while it is being imported, MIRROR while it follows another repository; else null.
             * @enum {string|null}
             */
            readOnly: "IMPORT" | "MIRROR" | null;
            /** VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            /** PRIVATE: owner and members. PUBLIC: anybody can clone and read it, also without an account. */
            visibility: "PRIVATE" | "PUBLIC";
        };
        /** The origin of an implementation, and the progress of its import. */
        ImplementationImport: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            endedAt?: string;
            /** Failed runs since the last that succeeded. After 10 a mirror is off. */
            failures: number;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            implementationId: string;
            mirror: boolean;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            nextAt?: string;
            /** Reason why the last run has failed; null if it has not. */
            problem: string | null;
            /** Step that goes on, such as `Receiving objects: 45%`. */
            progress: string | null;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            startedAt?: string;
            /** State of the last run. A mirror runs again at `nextAt`. */
            state: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED";
            url: string;
        };
        /** A person with this verified e-mail address may become a member until it expires. */
        ImplementationInvitation: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            email: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            expiresAt: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            implementationId: string;
            implementationName: string;
            owner: components["schemas"]["Owner"];
            /** VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        /** A user or an organization with a role beside the owner. */
        ImplementationMember: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            addedAt: string;
            /** Id of the user or organization. */
            id: string;
            /** VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            type: "USER" | "ORGANIZATION";
        };
        ImplementationMemberRequest: {
            /** VIEWER reads, MAINTAINER also changes code, OWNER also manages settings, members and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        /** Create an implementation of a repository on another server, once or as a mirror */
        importImplementation: {
            answer: components["schemas"]["ImplementationImport"];
            request: { json: components["schemas"]["ImportImplementationRequest"]; };
        };
        ImportImplementationRequest: {
            /** The credential for the other server. Kept sealed, never shown, and erased when the import ends; kept for a mirror. */
            credential?: {
                /** Token or password for the other server. */
                password: string;
                /** Name for the other server; `git` when it is left out, as suits most tokens. */
                username?: string;
            };
            description?: string;
            /** True: it follows the other repository every hour, and nobody can push to it. */
            mirror?: boolean;
            /** Last segment of the address, such as `portfolio-optimizer`. */
            name: string;
            /** Address of a Git repository, such as `https://example.org/lab/solver.git`. Only https. */
            url: string;
            /** PRIVATE: owner and members. PUBLIC: anybody can clone and read it, also without an account. */
            visibility?: "PRIVATE" | "PUBLIC";
        };
        /** Problem data: any JSON value. */
        InputData: unknown;
        /** Parameters that influence evaluation: any JSON value. */
        InputParams: unknown;
        /** A person with this verified e-mail address may join until it expires. */
        Invitation: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            email: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            expiresAt: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            organizationId: string;
            organizationName: string;
            /** VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        InvitationRequest: {
            email: string;
            /** VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        /** Invite an e-mail address */
        invite: {
            answer: components["schemas"]["Invitation"];
            parameters: { organizationId: string; };
            request: { json: components["schemas"]["InvitationRequest"]; };
        };
        /** Invite an e-mail address to an implementation */
        inviteToImplementation: {
            answer: components["schemas"]["ImplementationInvitation"];
            parameters: { implementationId: string; };
            request: { json: components["schemas"]["InvitationRequest"]; };
        };
        Layer: {
            bytes: number;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** Hash of the packages and of the Python that they were installed for. */
            id: string;
            /** `name==version --hash=sha256:<digest>`, sorted. Empty for one of an older release of the platform. */
            packages: string[];
            /** Reason why it could not be rebuilt; it stays as it was. */
            problem?: string;
            /** Version of Python, for example `3.11`. */
            python: string;
            /** When a version was last seen that needs it, in UTC. */
            usedAt: string;
            /** Versions of services that need it, published or not. */
            versions: number;
            /** A request of an administrator that the worker has not carried out yet. */
            wanted?: "PURGE" | "REBUILD";
            /** The worker that has it. Several may have the same layer. */
            workerId: string;
        };
        /** Give up a data pool that was shared with the caller */
        leaveDataPool: { parameters: { dataPoolId: string; }; };
        /** Give up an implementation that was shared with the caller */
        leaveImplementation: { parameters: { implementationId: string; }; };
        /** Leave an organization */
        leaveOrganization: { parameters: { organizationId: string; }; };
        /** HAL link. */
        Link: { href: string; };
        /** List personal access tokens, newest first */
        listAccessTokens: { answer: components["schemas"]["AccessTokensDto"]; };
        /** List what keeps instances of all own workflows from going on, newest first */
        listAllWorkflowIncidents: {
            answer: components["schemas"]["WorkflowIncident"][];
            parameters: {
                cursor?: string;
                elementId?: string;
                errorCode?: string;
                limit?: number;
                serviceId?: string;
                version?: string;
            };
        };
        /** List applications, newest first */
        listApplications: {
            answer: components["schemas"]["Application"][];
            parameters: { cursor?: string; limit?: number; q?: string; };
        };
        /** List the files of a data pool, newest first */
        listDataPoolFiles: {
            answer: components["schemas"]["DataPoolFile"][];
            parameters: { cursor?: string; dataPoolId: string; limit?: number; };
        };
        /** List the members of a data pool in the order in which they were added */
        listDataPoolMembers: {
            answer: components["schemas"]["DataPoolMember"][];
            parameters: { dataPoolId: string; };
        };
        /** List the data pools that belong to the caller or were shared with them, newest first */
        listDataPools: {
            answer: components["schemas"]["DataPool"][];
            parameters: { cursor?: string; limit?: number; q?: string; };
        };
        /** Describe the subscribed services as element templates for Camunda's desktop modeler */
        listElementTemplates: {
            answer: components["schemas"]["ElementTemplate"][];
            parameters: { applicationId: string; };
        };
        /** Hear of changes of executions, instances, incidents and builds of the context */
        listEvents: { answer: components["schemas"]["ChangeEvent"][]; parameters: { everywhere?: boolean; }; };
        /** List the commits of a branch, or those that changed a path, newest first */
        listImplementationCommits: {
            answer: components["schemas"]["RepositoryCommit"][];
            parameters: { implementationId: string; limit?: number; path?: string; ref?: string; skip?: number; };
        };
        /** List the open invitations to an implementation, newest first */
        listImplementationInvitations: {
            answer: components["schemas"]["ImplementationInvitation"][];
            parameters: { implementationId: string; };
        };
        /** List the members of an implementation in the order in which they were added */
        listImplementationMembers: {
            answer: components["schemas"]["ImplementationMember"][];
            parameters: { implementationId: string; };
        };
        /** List the branches and tags of a repository */
        listImplementationRefs: {
            answer: components["schemas"]["RepositoryRefs"];
            parameters: { implementationId: string; };
        };
        /** List the implementations that belong to the caller or were shared with them, newest first */
        listImplementations: {
            answer: components["schemas"]["Implementation"][];
            parameters: { cursor?: string; limit?: number; };
        };
        /** The offer of a service in the marketplace. */
        Listing: {
            categories: ("CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER")[];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            documentation: string;
            pricingPlans: components["schemas"]["PricingPlan"][];
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            summary: string;
            title: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            updatedAt: string;
            /** Three dot-separated numbers. */
            version: string;
        };
        ListingRequest: {
            categories: ("CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER")[];
            /** Markdown. */
            documentation?: string;
            pricingPlans: components["schemas"]["PricingPlan"][];
            summary?: string;
            /** Without it, the name of the service. */
            title?: string;
            /** Three dot-separated numbers. */
            version: string;
        };
        /** List the open invitations of an organization, newest first */
        listInvitations: { answer: components["schemas"]["Invitation"][]; parameters: { organizationId: string; }; };
        /** List the layers of installed packages of all workers */
        listLayers: { answer: components["schemas"]["Layer"][]; };
        /** List the versions of services of the caller that were made of an implementation, newest first */
        listMadeVersions: {
            answer: components["schemas"]["MadeVersion"][];
            parameters: { implementationId: string; };
        };
        /** List members in the order in which they joined */
        listMembers: { answer: components["schemas"]["Member"][]; parameters: { organizationId: string; }; };
        /** List the organizations that the caller has joined, newest first */
        listOrganizations: { answer: components["schemas"]["Organization"][]; };
        /** List the executions that were started for the caller, as jobs or by applications, newest first */
        listOwnedExecutions: {
            answer: components["schemas"]["OwnedExecution"][];
            parameters: {
                applicationId?: string;
                cursor?: string;
                from?: string;
                limit?: number;
                personId?: string;
                serviceId?: string;
                status?: string;
                tag?: string;
                tasks?: boolean;
                to?: string;
                version?: string;
                workflowElementId?: string;
                workflowId?: string;
                workflowInstanceId?: string;
            };
        };
        /** List the open invitations to implementations to the e-mail address of the caller, newest first */
        listOwnImplementationInvitations: { answer: components["schemas"]["ImplementationInvitation"][]; };
        /** List the open invitations to the e-mail address of the caller, newest first */
        listOwnInvitations: { answer: components["schemas"]["Invitation"][]; };
        /** List all executions of an own service, of any owner, newest first */
        listProvidedExecutions: {
            answer: components["schemas"]["ProvidedExecution"][];
            parameters: {
                cursor?: string;
                from?: string;
                limit?: number;
                serviceId: string;
                status?: string;
                to?: string;
                version?: string;
            };
        };
        /** List provider access tokens, without their API keys */
        listProviderAccessTokens: { answer: components["schemas"]["ProviderAccessToken"][]; };
        /** List or search the public implementations, newest first */
        listPublicImplementations: {
            answer: components["schemas"]["Implementation"][];
            parameters: { cursor?: string; limit?: number; q?: string; };
        };
        /** List people with the status of their registration */
        listRegistrations: {
            answer: components["schemas"]["Registration"][];
            parameters: {
                cursor?: string;
                email?: string;
                limit?: number;
                status?: "PENDING" | "APPROVED" | "REJECTED";
            };
        };
        /** List services, newest first */
        listServices: {
            answer: components["schemas"]["Service"][];
            parameters: {
                cursor?: string;
                limit?: number;
                q?: string;
                state?: "DRAFT" | "PUBLISHED" | "RETIRED";
                type?: "MANAGED" | "ON_PREMISE" | "WORKFLOW";
            };
        };
        /** List the subscriptions to a service with their limits, newest first */
        listServiceSubscriptions: {
            answer: components["schemas"]["ServiceSubscription"][];
            parameters: { cursor?: string; limit?: number; serviceId: string; };
        };
        /** List the versions of a service, newest first */
        listServiceVersions: {
            answer: components["schemas"]["ServiceVersion"][];
            parameters: { cursor?: string; limit?: number; serviceId: string; };
        };
        /** List the services that are shared with the caller or the organization now, newest first */
        listSharedServices: {
            answer: components["schemas"]["SharedService"][];
            parameters: { cursor?: string; limit?: number; };
        };
        /** List the shares of a service, newest first */
        listShares: { answer: components["schemas"]["Share"][]; parameters: { serviceId: string; }; };
        /** List the files of the source */
        listSourceFiles: {
            answer: components["schemas"]["SourceFile"][];
            parameters: { serviceId: string; version: string; };
        };
        /** List subscriptions with their service endpoints, newest first */
        listSubscriptions: {
            answer: components["schemas"]["Subscription"][];
            parameters: { applicationId: string; cursor?: string; limit?: number; };
        };
        /** Group open incidents of own workflows by their cause, the largest groups first */
        listWorkflowIncidentGroups: {
            answer: components["schemas"]["WorkflowIncidentGroup"][];
            parameters: { elementId?: string; errorCode?: string; serviceId?: string; version?: string; };
        };
        /** List what keeps instances of an own workflow from going on */
        listWorkflowIncidents: {
            answer: components["schemas"]["WorkflowIncident"][];
            parameters: { cursor?: string; limit?: number; serviceId: string; };
        };
        /** List the instances of an own workflow, newest first */
        listWorkflowInstances: {
            answer: components["schemas"]["WorkflowInstance"][];
            parameters: {
                cursor?: string;
                elementId?: string;
                errorCode?: string;
                from?: string;
                hasIncidents?: boolean;
                limit?: number;
                phase?: "NEW" | "RUNNING" | "COMPLETED" | "CANCELLED" | "ERROR";
                serviceId: string;
                to?: string;
                version?: string;
            };
        };
        /** List the timer start events of an own workflow */
        listWorkflowSchedules: {
            answer: components["schemas"]["WorkflowSchedule"][];
            parameters: { serviceId: string; };
        };
        /** One line of a log. */
        LogEntry: { message: string; severity: "DEBUG" | "INFO" | "NOTICE" | "WARNING" | "ERROR"; timestamp: string; };
        /** The commit that the request has made. */
        MadeCommit: {
            branch: string;
            /** Commit, 40 hexadecimal digits. */
            commit: string;
        };
        /** A version of a service whose source is a commit of an implementation. */
        MadeVersion: {
            /** Commit, 40 hexadecimal digits. */
            commit: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** Branch or tag. */
            ref: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            serviceName: string;
            state: "DRAFT" | "PUBLISHED" | "RETIRED";
            version: string;
        };
        MarketplaceEntry: {
            categories: ("CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER")[];
            /** Types of its plans. */
            pricing: ("FREE" | "COMMERCIAL" | "ON_REQUEST")[];
            provider: components["schemas"]["Provider"];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            publishedAt: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            summary: string;
            title: string;
            /** Three dot-separated numbers. */
            version: string;
        };
        MarketplaceService: {
            _links: {
                /** The OpenAPI document of the offered version; none where the service runs elsewhere. */
                apiSpecification?: { href: string; };
            };
            categories: ("CHEMISTRY" | "CRYPTOGRAPHY" | "DATA_PROCESSING" | "EDUCATION" | "ENERGY" | "FINANCE" | "LOGISTICS" | "MACHINE_LEARNING" | "MATHEMATICS" | "MATERIALS" | "OPTIMIZATION" | "SIMULATION" | "TOOLS" | "OTHER")[];
            /** Description of the service. */
            description: string;
            /** Markdown. */
            documentation: string;
            /** Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them. */
            hosts?: string[];
            /** The parameters that the service takes. */
            parameters?: components["schemas"]["ServiceParameter"][];
            pricingPlans: components["schemas"]["PricingPlan"][];
            provider: components["schemas"]["Provider"];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            publishedAt: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            summary: string;
            title: string;
            /** Three dot-separated numbers. */
            version: string;
        };
        Member: {
            firstname: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            joinedAt: string;
            lastname: string;
            /** VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            userId: string;
        };
        MemberRequest: {
            /** VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        /** Use in a month, by service, plan, product and price. Usage is added up exactly. Its cost is rounded once for each subscription and product, half up to the minor unit of the currency. The total is the sum of these. */
        MonthlyUsage: {
            lines: components["schemas"]["MonthlyUsageLine"][];
            /** yyyy-MM, in UTC. */
            month: string;
            /** One per currency. */
            totals: {
                /** With the decimals of the currency. */
                cost: string;
                currency: string;
            }[];
        };
        MonthlyUsageLine: {
            /** Units, as a decimal number. */
            amount: string;
            /** With the decimals of the currency. */
            cost: string;
            currency: string;
            pricingPlan: string;
            pricingPlanId: string;
            product: string;
            productId: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            serviceName: string;
            unit: string;
            unitPrice: string;
            /** Three dot-separated numbers. */
            version: string;
        };
        /** An organization that the caller has joined; `role` is the role of the caller. */
        Organization: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            /** VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion. */
            role: "VIEWER" | "MAINTAINER" | "OWNER";
        };
        OrganizationRequest: { name: string; };
        /** An execution that was started for the caller, as a job or by an application. */
        OwnedExecution: {
            _links: {
                result: components["schemas"]["Link"];
                self: components["schemas"]["Link"];
                status: components["schemas"]["Link"];
            };
            /** The application that started it; null for a job. */
            applicationId: string | null;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            endedAt?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** The person who started the job; null for an application. */
            personId: string | null;
            /** Id of the version of the service. */
            serviceDefinitionId?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId?: string;
            /** Absent when the service has been deleted. */
            serviceName?: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            startedAt?: string;
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "CANCELLED" | "FAILED" | "UNKNOWN";
            /** The tags of `$tags`; absent without any. */
            tags?: string[];
            /** Kind of what is executed: code or a workflow. */
            type?: "MANAGED" | "WORKFLOW";
            /** Three dot-separated numbers. */
            version?: string;
            /** The BPMN element whose task started it. */
            workflowElementId?: string;
            /** Execution of the workflow whose task started it. */
            workflowId?: string;
            /** Instance of this task: the execution, or what a call activity in it has started. */
            workflowInstanceId?: string;
        };
        /** The user or organization that the resource belongs to. */
        Owner: { id: string; type: "USER" | "ORGANIZATION"; };
        PersonalAccessTokenPrincipal: { accessToken: components["schemas"]["AccessTokenMetadataDto"]; id: string; };
        PlatformProcess: {
            /** The disk of its data folder. */
            disk?: { bytes: number; freeBytes: number; };
            /** Name of its machine. */
            host: string;
            /** Another one after each start. */
            id: string;
            roles: ("api" | "gateway" | "worker" | "git")[];
            /** The last migration of the database that it knows. */
            schema: string;
            /** Its last report, in UTC. Processes report every 30 seconds. */
            seenAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            startedAt: string;
            /** Version of the platform. */
            version: string;
            /** Only for a process with the role `worker`. */
            worker?: {
                cpus?: number;
                /** Drivers of user code. CONTAINER is there while its container engine answers. */
                drivers: ("SANDBOX" | "CONTAINER" | "KUBERNETES" | "SLURM")[];
                /** The same after each start. */
                id: string;
                memoryBytes?: number;
                /** A sentence about what keeps it from running user code, or what an operator should mend; absent if there is nothing. */
                problem?: string;
                /** Versions of Python, such as `3.12`. */
                pythons: string[];
                /** Executions that run there. */
                running: number;
            };
        };
        PlatformStatus: {
            builds: { pending: number; running: number; };
            database: {
                bytes: number;
                kind: "SQLITE" | "POSTGRESQL";
                /** The last migration that was executed. */
                schema: string;
            };
            executions: {
                /** Time when the one that waits longest was accepted, in UTC. */
                oldestPendingAt?: string;
                pending: number;
                running: number;
            };
            /** The store of files. */
            files: "FOLDER" | "S3";
            /** Workers without a sign of life for the lease, the last first, at most 100. */
            lostWorkers: {
                host: string;
                id: string;
                /** yyyy-MM-dd HH:mm:ss, UTC. */
                lostAt: string;
            }[];
            mails: { waiting: number; };
            /** At most 2,000. */
            processes: components["schemas"]["PlatformProcess"][];
            /** Owners with the most waiting executions, at most ten. */
            queues: { ownerId: string; waiting: number; }[];
        };
        PricingPlan: {
            /** For an ON_REQUEST plan: the way to reach the provider. */
            contact?: string;
            /** Chosen by the provider: lower case letters, digits and hyphens. */
            id: string;
            name: string;
            /** Products of a COMMERCIAL plan: at least one. */
            products?: components["schemas"]["Product"][];
            type: "FREE" | "COMMERCIAL" | "ON_REQUEST";
        };
        /** RFC 9457 problem document. */
        ProblemDetails: {
            detail: string;
            errors?: {
                code?: string;
                detail: string;
                /** Id of a BPMN element, of a workflow. */
                elementId?: string;
                /** JSON Pointer (RFC 6901) to the place in the request. */
                pointer: string;
            }[];
            /** Path of the request. */
            instance: string;
            status: number;
            title: string;
            /** Address of a page about this kind of problem. */
            type: string;
        } & { [key: string]: unknown; };
        /** Something that a commercial plan charges for. */
        Product: {
            /** ISO 4217. */
            currency: string;
            /** Chosen by the provider: lower case letters, digits and hyphens. */
            id: string;
            /** REPORTED by the provider of an on-premise service; the others are counted by the platform. */
            metering: "EXECUTION" | "RUN_SECONDS" | "CPU_SECONDS" | "REPORTED";
            name: string;
            unit: string;
            /** A decimal number as text, with at most six decimals. */
            unitPrice: string;
        };
        /** An execution as the provider of the service sees it: neither who started it nor input, result or log. */
        ProvidedExecution: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            endedAt?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            startedAt?: string;
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "CANCELLED" | "FAILED" | "UNKNOWN";
            /** Three dot-separated numbers. */
            version?: string;
        };
        Provider: { id: string; name: string; type: "USER" | "ORGANIZATION"; };
        /** The API key itself is never shown again. */
        ProviderAccessToken: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** Names of the environment variables in which user code finds them. */
            environmentVariables: string[];
            /** The API key, masked but for its last characters. */
            hint: string;
            name: string;
            provider: "IBM_QUANTUM" | "IONQ" | "IQM" | "AQT" | "DWAVE" | "QUANDELA";
            serviceIdentifier?: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            updatedAt: string;
        };
        /** `serviceIdentifier` for IBM_QUANTUM and for no other: the CRN of the instance. */
        ProviderAccessTokenRequest: { apiKey: string; serviceIdentifier?: string; };
        PublicationRequest: {
            /** Visibility of a published version. SHARED: recipients of active shares run it as a job, and it may be offered in the marketplace; no application subscribes internally. INTERNAL: besides, applications of its owner and of recipients of active shares can subscribe. */
            visibility: "SHARED" | "INTERNAL";
        };
        /** Offer a published version in the marketplace */
        publishListing: {
            answer: components["schemas"]["Listing"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["ListingRequest"]; };
        };
        /** Publish a version, or change the visibility of a published one */
        publishServiceVersion: {
            answer: components["schemas"]["ServiceVersion"];
            parameters: { serviceId: string; version: string; };
            request: { json: components["schemas"]["PublicationRequest"]; };
        };
        /** Publish a message for instances of an own workflow, or for its start events */
        publishWorkflowMessage: {
            answer: components["schemas"]["WorkflowMessageReceipt"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["WorkflowMessageRequest"]; };
        };
        /** Remove a layer from all workers */
        purgeLayer: { answer: components["schemas"]["Layer"][]; parameters: { layerId: string; }; };
        /** Share a data pool with a user or an organization, or change their role */
        putDataPoolMember: {
            answer: components["schemas"]["DataPoolMember"];
            parameters: { dataPoolId: string; memberId: string; memberType: "USER" | "ORGANIZATION"; };
            request: { json: components["schemas"]["DataPoolMemberRequest"]; };
        };
        /** Share an implementation with a user or an organization, or change their role */
        putImplementationMember: {
            answer: components["schemas"]["ImplementationMember"];
            parameters: { implementationId: string; memberId: string; memberType: "USER" | "ORGANIZATION"; };
            request: { json: components["schemas"]["ImplementationMemberRequest"]; };
        };
        /** Put a file into a data pool, or replace the one of this name */
        qcAddFile: {
            answer: components["schemas"]["QcDataPoolFile"];
            parameters: { dataPoolId: string; filename?: string; };
            request: { body: unknown; };
        };
        /** Change the role of a share */
        qcChangeShare: {
            answer: components["schemas"]["QcShare"];
            parameters: { dataPoolId: string; shareId: string; };
            request: { json: components["schemas"]["QcShareRoleRequest"]; };
        };
        /** Create an empty data pool */
        qcCreateDataPool: {
            answer: components["schemas"]["QcDataPool"];
            request: { json: components["schemas"]["QcDataPoolRequest"]; };
        };
        QcDataPool: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            currentUserPermission: "VIEWER" | "MAINTAINER" | "OWNER";
            description: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            shortDescription: string;
            tags: string[];
        };
        QcDataPoolFile: {
            contentLength: number;
            contentType: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            dataPoolId: string;
            fullPath: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
        };
        QcDataPoolRequest: { description?: string; name: string; shortDescription?: string; tags?: string[]; };
        /** Delete a data pool with its files */
        qcDeleteDataPool: { parameters: { dataPoolId: string; }; };
        /** Delete a file */
        qcDeleteFile: { parameters: { dataPoolId: string; fileId: string; }; };
        /** Download a file, or with Range a part of it */
        qcDownloadFile: { parameters: { dataPoolId: string; fileId: string; }; };
        /** Read a data pool */
        qcGetDataPool: { answer: components["schemas"]["QcDataPool"]; parameters: { dataPoolId: string; }; };
        /** Read a subscription */
        qcGetSubscription: {
            answer: components["schemas"]["QcSubscription"];
            parameters: { subscriptionId: string; };
        };
        QcGrant: { token: string; };
        /** Lend an application the own rights on a data pool for an hour */
        qcGrantDataPool: {
            answer: components["schemas"]["QcGrant"];
            parameters: { dataPoolId: string; };
            request: { json: components["schemas"]["QcGrantRequest"]; };
        };
        QcGrantRequest: {
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            applicationId: string;
            permission: "VIEW" | "MODIFY";
        };
        /** List the data pools of the caller and those shared with them */
        qcListDataPools: { answer: components["schemas"]["QcDataPool"][]; };
        /** List the files of a data pool, newest first */
        qcListFiles: { answer: components["schemas"]["QcDataPoolFile"][]; parameters: { dataPoolId: string; }; };
        /** List with whom a data pool is shared */
        qcListShares: { answer: components["schemas"]["QcShare"][]; parameters: { dataPoolId: string; }; };
        /** End a share */
        qcRemoveShare: { parameters: { dataPoolId: string; shareId: string; }; };
        QcShare: {
            active: boolean;
            constraints: unknown[];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            id: string;
            role: "VIEWER" | "MAINTAINER" | "OWNER";
            sharedWith: components["schemas"]["QcTenant"];
        };
        /** Share a data pool with a user or an organization */
        qcShareDataPool: {
            answer: components["schemas"]["QcShare"];
            parameters: { dataPoolId: string; };
            request: { json: components["schemas"]["QcShareRequest"]; };
        };
        QcShareRequest: { role?: "VIEWER" | "MAINTAINER" | "OWNER"; sharedWith: components["schemas"]["QcTenant"]; };
        QcShareRoleRequest: { role: "VIEWER" | "MAINTAINER" | "OWNER"; };
        /** Subscribe an application to the newest published version of a service */
        qcSubscribe: {
            answer: components["schemas"]["QcSubscription"];
            request: { json: components["schemas"]["QcSubscriptionRequest"]; };
        };
        QcSubscription: {
            application: {
                /** yyyy-MM-dd HH:mm:ss, UTC. */
                createdAt: string;
                /** UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                name: string;
            };
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            service: {
                gatewayEndpoint: string;
                /** UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                name: string;
                version: string;
            };
        };
        QcSubscriptionRequest: {
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            applicationId: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
        };
        QcTenant: { tenantType: "USER" | "ORGANIZATION"; value: string; };
        /** End a subscription */
        qcUnsubscribe: { parameters: { subscriptionId: string; }; };
        /** Change a data pool; what is left out stays */
        qcUpdateDataPool: {
            answer: components["schemas"]["QcDataPool"];
            parameters: { dataPoolId: string; };
            request: { json: components["schemas"]["QcDataPoolRequest"]; };
        };
        /** Read every change of rights, keys and publications, and your sign-ins, newest first */
        readAuditLog: {
            answer: components["schemas"]["AuditEntry"][];
            parameters: { action?: string; cursor?: string; limit?: number; resourceId?: string; };
        };
        /** Read what the use of others’ services has cost in a month */
        readCosts: { answer: components["schemas"]["MonthlyUsage"]; parameters: { month: string; }; };
        /** Read a commit with its changes */
        readImplementationCommit: {
            answer: components["schemas"]["CommitDetails"];
            parameters: { commit: string; implementationId: string; };
        };
        /** Read a file of a repository, or with Range a part of it */
        readImplementationFile: { parameters: { implementationId: string; path: string; ref?: string; }; };
        /** List a folder of a repository; the root without a path */
        readImplementationTree: {
            answer: components["schemas"]["RepositoryTree"];
            parameters: { implementationId: string; path?: string; q?: string; ref?: string; };
        };
        /** Read what one’s own services have earned in a month */
        readRevenue: { answer: components["schemas"]["MonthlyUsage"]; parameters: { month: string; }; };
        /** Read a file of the source */
        readSourceFile: { parameters: { path: string; serviceId: string; version: string; }; };
        /** Install a layer anew from the versions and hashes that it was made of */
        rebuildLayer: { answer: components["schemas"]["Layer"][]; parameters: { layerId: string; }; };
        /** An approved user, or an organization. */
        Recipient: { id: string; type: "USER" | "ORGANIZATION"; };
        /** Count anew what every owner keeps, and correct what is counted */
        recountStorage: { answer: components["schemas"]["StorageRecount"]; };
        Registration: {
            /** Null when the identity provider does not know. */
            createdAt: string | null;
            email: string;
            emailVerified: boolean;
            /** False: the account is switched off. */
            enabled: boolean;
            firstname: string;
            /** Subject of the identity provider. */
            id: string;
            lastname: string;
            status: "PENDING" | "APPROVED" | "REJECTED";
            username: string;
        };
        RegistrationResponse: {
            /** For the person, in a sentence. */
            message: string | null;
            status: "PENDING" | "APPROVED" | "REJECTED" | "NOT_FOUND" | "EMAIL_NOT_VERIFIED";
        };
        /** Give up a former address, which others can take then */
        releaseImplementationAddress: { parameters: { implementationId: string; name: string; ownerId: string; }; };
        /** Take a member out of a data pool */
        removeDataPoolMember: {
            parameters: { dataPoolId: string; memberId: string; memberType: "USER" | "ORGANIZATION"; };
        };
        /** Take a member out of an implementation */
        removeImplementationMember: {
            parameters: { implementationId: string; memberId: string; memberType: "USER" | "ORGANIZATION"; };
        };
        /** Remove a member from the organization */
        removeMember: { parameters: { organizationId: string; userId: string; }; };
        /** End the making of versions by pushes */
        removeServiceSource: { parameters: { serviceId: string; }; };
        /** Rename an application */
        renameApplication: {
            answer: components["schemas"]["Application"];
            parameters: { applicationId: string; };
            request: { json: components["schemas"]["CreateApplicationRequest"]; };
        };
        /** Rename an organization */
        renameOrganization: {
            answer: components["schemas"]["Organization"];
            parameters: { organizationId: string; };
            request: { json: components["schemas"]["OrganizationRequest"]; };
        };
        /** Renew the default token */
        renewDefaultAccessToken: { answer: components["schemas"]["DefaultAccessTokenDto"]; };
        /** Renew the keys that sign tokens before they are due */
        renewSigningKeys: { answer: components["schemas"]["SigningKeyRenewal"][]; };
        /** Replace the source of a draft and build it */
        replaceSource: {
            answer: components["schemas"]["ServiceVersion"] | components["schemas"]["Build"];
            parameters: { serviceId: string; version: string; };
            request: { body: unknown; };
        };
        /** Report use of an on-premise service */
        reportUsage: {
            answer: components["schemas"]["UsageRecord"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["UsageReport"]; };
        };
        RepositoryCommit: {
            /** Name of the author. */
            author: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            authoredAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            committedAt: string;
            /** Commit, 40 hexadecimal digits. */
            id: string;
            /** The first 65536 bytes of it. */
            message: string;
            parents: string[];
        };
        RepositoryRef: {
            /** Commit, 40 hexadecimal digits. */
            commit: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            committedAt: string;
            /** Without `refs/heads/` or `refs/tags/`. */
            name: string;
        };
        RepositoryRefs: {
            branches: components["schemas"]["RepositoryRef"][];
            defaultBranch: string;
            /** Commit of the default branch; null while that branch does not exist. */
            head: string | null;
            tags: components["schemas"]["RepositoryRef"][];
        };
        RepositoryTree: {
            /** Commit, 40 hexadecimal digits. */
            commit: string;
            /** At most 5000, folders first. */
            entries: components["schemas"]["TreeEntry"][];
            /** True if the folder has more entries. */
            isCut: boolean;
            /** Folder; empty for the root. */
            path: string;
        };
        /** Build the source of a draft again */
        restartBuild: { answer: components["schemas"]["Build"]; parameters: { serviceId: string; version: string; }; };
        /** Run an import again that has failed, or a mirror now */
        restartImplementationImport: {
            answer: components["schemas"]["ImplementationImport"];
            parameters: { implementationId: string; };
            request: { json: components["schemas"]["RestartImportRequest"]; };
        };
        RestartImportRequest: {
            /** The credential for the other server. Kept sealed, never shown, and erased when the import ends; kept for a mirror. */
            credential?: {
                /** Token or password for the other server. */
                password: string;
                /** Name for the other server; `git` when it is left out, as suits most tokens. */
                username?: string;
            };
        };
        /** The result at the root, and two HAL members. */
        ResultResponse: {
            _embedded: { status: components["schemas"]["ServiceExecution"]; };
            /** self, status and one link per result file, named by its file name. */
            _links: { self: components["schemas"]["Link"]; status: components["schemas"]["Link"]; } & {
                [key: string]: components["schemas"]["Link"];
            };
        } & { [key: string]: unknown; };
        /** The time for which results, result files and logs are kept. The shortest time that applies counts. */
        RetentionRequest: {
            /** Days after the end of any execution. Null, or left out: as long as the platform keeps them. */
            keepDays?: number | null;
            /** Shorter times for what was executed of single services, own ones or those of others. */
            services?: {
                keepDays: number;
                /** UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
            }[];
        };
        /** From the sunset on, a version cannot be started any more. What has been started can be read. */
        Retirement: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            announcedAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            sunset: string;
        };
        RetirementRequest: {
            /** RFC 3339. Now when it is left out. */
            sunset?: string;
        };
        /** Announce from when on a version cannot be started any more */
        retireServiceVersion: {
            answer: components["schemas"]["ServiceVersion"];
            parameters: { serviceId: string; version: string; };
            request: { json: components["schemas"]["RetirementRequest"]; };
        };
        /** Variables that are corrected first. Each is written to the nearest scope that has one of its name, from the element that failed outwards, else to the process. */
        RetryIncidentRequest: { variables?: { [key: string]: unknown; }; };
        RetryIncidentsReceipt: {
            /** Left alone, because variables are given and the instance was started for somebody else. */
            foreign: number;
            /** True if more match: repeat the request when these are done. */
            isLeft: boolean;
            /** At most 1000, the oldest ones. */
            retried: number;
        };
        /** Open incidents of a workflow to be tried again, and the variables to be corrected first in each. */
        RetryIncidentsRequest: {
            elementId?: string;
            errorCode?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            variables?: { [key: string]: unknown; };
            /** Three dot-separated numbers. */
            version?: string;
        };
        /** Try again what failed, now that its cause is mended */
        retryWorkflowIncident: {
            answer: components["schemas"]["WorkflowInstance"];
            parameters: { incident: number; instanceId: string; };
            request: { json: components["schemas"]["RetryIncidentRequest"]; };
        };
        /** Try many incidents again, now that their cause is mended */
        retryWorkflowIncidents: {
            answer: components["schemas"]["RetryIncidentsReceipt"];
            request: { json: components["schemas"]["RetryIncidentsRequest"]; };
        };
        /** Try a timer start event again that has failed or is stopped */
        retryWorkflowSchedule: {
            answer: components["schemas"]["WorkflowSchedule"];
            parameters: { elementId: string; serviceId: string; };
        };
        /** Reveal the secret of an access key */
        revealSecretAccessKey: {
            answer: components["schemas"]["SecretAccessKey"];
            parameters: { applicationId: string; keyId: string; };
        };
        /** Make a new access key; the ones before end after the overlap */
        rotateAccessKey: {
            answer: components["schemas"]["AccessKey"];
            parameters: { applicationId: string; };
            request: { json: components["schemas"]["RotateAccessKeyRequest"]; };
        };
        RotateAccessKeyRequest: {
            /**
             * The time for which the previous key pairs still work.
             * @default 0
             */
            overlapSeconds?: number;
        };
        RuntimeConfiguration: {
            /**
             * Virtual CPU cores.
             * @default 1
             */
            cpus?: number;
            /** Readable by the code as ordinary environment variables. PATH, HOME, and names that begin with KETHUB_, LD_, PYTHON or SECRET_ are reserved. All names and values together have at most 131,072 bytes. */
            environment?: { [key: string]: string; };
            gpu?: components["schemas"]["GpuConfiguration"];
            /** Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them. */
            hosts?: string[];
            /**
             * Memory in GB (2^30 bytes).
             * @default 1
             */
            memoryGb?: number;
            /** True if each execution has the provider access tokens of the service's owner as environment variables. */
            providerAccessTokens?: boolean;
            /** The Python of a service of the Python template. Without it, `.python-version` or `requires-python` in pyproject.toml decides, and without these the installation. */
            python?: "3.10" | "3.11" | "3.12" | "3.13";
            /**
             * Kind of the source: a project of the Python template, or one with a Dockerfile. DOCKER needs an installation with a container engine.
             * @default PYTHON_TEMPLATE
             * @enum {unknown}
             */
            runtime?: "PYTHON_TEMPLATE" | "DOCKER";
            /** @default 3600 */
            runTimeSeconds?: number;
            /** True if requirements that exist as source code only are built: their code runs in the sandbox of the build, without a network. Default false. */
            sourcePackages?: boolean;
            /** Pods of each worker that wait for executions of this version, each for one, where Python services run in a cluster with Kubernetes. They come with the first execution, go when none came for 15 minutes, and may be fewer: the operator bounds those of all owners. Default 0. */
            warmPods?: number;
            /** True if an execution may run in a process that was started, with the imports of the program, before the request. Default true. */
            warmStart?: boolean;
        };
        /** Find services, applications, data pools and implementations of the context by a part of their name */
        searchEverything: { answer: components["schemas"]["FoundThing"][]; parameters: { q: string; }; };
        /** Search users by name */
        searchUsers: { answer: components["schemas"]["UserSearchDto"][]; parameters: { q: string; }; };
        SecretAccessKey: { secretAccessKey: string; };
        Service: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            description: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** True if pushes to an implementation become versions: GET /services/{id}/source says which. Only where one service is read. */
            isAutomated?: boolean;
            name: string;
            owner: components["schemas"]["Owner"];
            /** The name as it stands in the service address. */
            slug: string;
            type: "MANAGED" | "ON_PREMISE" | "WORKFLOW";
            /** The 20 newest, newest first. GET /services/{id}/versions has them all. */
            versions: components["schemas"]["ServiceVersion"][];
        };
        ServiceExecution: {
            /** The application that started it; absent of a job. */
            applicationId?: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            endedAt?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** Id of the version of the service. */
            serviceDefinitionId?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId?: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            startedAt?: string;
            status: "PENDING" | "RUNNING" | "SUCCEEDED" | "CANCELLED" | "FAILED" | "UNKNOWN";
            /** The tags of `$tags`; absent without any. */
            tags?: string[];
            /** Kind of what is executed: code or a workflow. */
            type?: "MANAGED" | "WORKFLOW";
        };
        /** Limits that the provider of a service sets: executions at once, and the use by subscriptions without limits of their own. */
        ServiceLimits: {
            /** Executions of all its versions that run at the same time, whoever started them; more wait as PENDING. Null, or left out: no limit. */
            executionsAtOnce?: number | null;
            /** Executions on one day (UTC). Null: what is set further out holds. */
            executionsPerDay: number | null;
            /** Executions in one calendar month (UTC). Null: what is set further out holds. */
            executionsPerMonth: number | null;
            /** Requests a minute. Null: what is set further out holds. */
            requestsPerMinute: number | null;
        };
        ServiceParameter: {
            /** Judging of an input against the schema before it runs. STRICT: exactly. LAX: text that Pydantic may turn into a number or a boolean passes. NONE: not judged. */
            accepts?: "STRICT" | "LAX" | "NONE";
            annotation?: string | null;
            description?: string | null;
            kind: "data" | "secret" | "dataPool" | "other";
            name: string;
            required: boolean;
            /** JSON Schema (2020-12) of the annotation, with the default, and with titles, descriptions, bounds and examples of models, dataclasses, `Annotated` and docstrings. */
            schema?: unknown;
        } & { [key: string]: unknown; };
        /** Rules by which pushes to an implementation become versions of a service. */
        ServiceSource: {
            /** PUBLISH: a version is published as INTERNAL when its build has succeeded. Only an OWNER sets it. */
            action: "DRAFT" | "PUBLISH";
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            implementationId: string;
            /** Commit that the last version was made of. */
            lastCommit: string | null;
            /** Number of that version. */
            lastVersion: string | null;
            /** BRANCH: each push to it makes the next draft, or replaces the draft that there is. TAG: the greatest tag such as `v1.2.3` or `1.2.3` makes the version 1.2.3. */
            on: "BRANCH" | "TAG";
            /** Name of the branch; of tags a name in which `*` stands for any text, such as `v*`. */
            pattern: string;
            /** Reason why the last push made no version; null if it did. */
            problem: string | null;
        };
        ServiceSourceRequest: {
            /** PUBLISH: a version is published as INTERNAL when its build has succeeded. Only an OWNER sets it. */
            action: "DRAFT" | "PUBLISH";
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            implementationId: string;
            /** BRANCH: each push to it makes the next draft, or replaces the draft that there is. TAG: the greatest tag such as `v1.2.3` or `1.2.3` makes the version 1.2.3. */
            on: "BRANCH" | "TAG";
            /** Name of the branch; of tags a name in which `*` stands for any text, such as `v*`. */
            pattern: string;
        };
        /** A subscription as the provider of the service sees it. `set` is what it has been given of its own. */
        ServiceSubscription: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            limits: components["schemas"]["UsageLimits"];
            set: components["schemas"]["UsageLimitsRequest"];
            subscriber: components["schemas"]["Owner"];
            usage: components["schemas"]["UsageToday"];
            /** Three dot-separated numbers. */
            version: string;
        };
        /** A version of a managed service has `configuration`, `sourceBytes`, `sourceDigest` and `build`, and one of an on-premise service `target`. One of a workflow service has `workflow`, `sourceBytes` and `sourceDigest`. */
        ServiceVersion: {
            /** Uploaded, derived from the signature of run(), or the default template. */
            apiSpecification?: "UPLOADED" | "DERIVED" | "DEFAULT";
            build?: components["schemas"]["Build"];
            configuration?: components["schemas"]["RuntimeConfiguration"];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** Address at the gateway, once published. */
            endpoint?: string;
            origin?: components["schemas"]["SourceOrigin"];
            /** Parameters of run(), once built. Left out in lists. */
            parameters?: components["schemas"]["ServiceParameter"][];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            publishedAt?: string;
            retirement?: components["schemas"]["Retirement"];
            sourceBytes?: number;
            /** SHA-256 of the uploaded ZIP, in hex. */
            sourceDigest?: string;
            state: "DRAFT" | "PUBLISHED" | "RETIRED";
            target?: components["schemas"]["Target"];
            /** Three dot-separated numbers. */
            version: string;
            /** Visibility of a published version. SHARED: recipients of active shares run it as a job, and it may be offered in the marketplace; no application subscribes internally. INTERNAL: besides, applications of its owner and of recipients of active shares can subscribe. */
            visibility?: "SHARED" | "INTERNAL";
            workflow?: components["schemas"]["WorkflowDetails"];
        };
        Session: {
            administrator: boolean;
            /** Features of this installation. */
            features: {
                /** True if services can be containers. */
                docker: boolean;
                /** Address of the gateway. */
                gateway: string;
                /** True if people can register here. */
                registration: boolean;
            };
            /** Operations on resources, each with the least role that may call it. Personally everybody is OWNER. */
            operations: { [key: string]: "VIEWER" | "MAINTAINER" | "OWNER"; };
            /** Joined organizations, newest first; none before the registration is approved. */
            organizations: {
                /** UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                name: string;
                role: "VIEWER" | "MAINTAINER" | "OWNER";
            }[];
            person: {
                email: string;
                firstname: string;
                /** UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                lastname: string;
                username: string;
            };
            registration: components["schemas"]["RegistrationResponse"];
        };
        /** Set or replace the access token for a provider */
        setProviderAccessToken: {
            answer: components["schemas"]["ProviderAccessToken"];
            parameters: { provider: "IBM_QUANTUM" | "IONQ" | "IQM" | "AQT" | "DWAVE" | "QUANDELA"; };
            request: { json: components["schemas"]["ProviderAccessTokenRequest"]; };
        };
        /** Choose how long results, result files and logs are kept */
        setRetention: {
            answer: components["schemas"]["StorageUsage"];
            request: { json: components["schemas"]["RetentionRequest"]; };
        };
        /** Set how much of a service runs at once, and what every subscription to it may use */
        setServiceLimits: {
            answer: components["schemas"]["ServiceLimits"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["ServiceLimits"]; };
        };
        /** Make pushes to a branch, or tags, versions of a service */
        setServiceSource: {
            answer: components["schemas"]["ServiceSource"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["ServiceSourceRequest"]; };
        };
        /** Allow one person or organization another amount of storage than everybody */
        setStorageQuota: {
            answer: components["schemas"]["StorageQuota"];
            parameters: { ownerId: string; ownerType: "USER" | "ORGANIZATION"; };
            request: { json: components["schemas"]["StorageQuotaRequest"]; };
        };
        /** Set what one subscription to a service may use */
        setSubscriptionLimits: {
            answer: components["schemas"]["UsageLimitsRequest"];
            parameters: { serviceId: string; subscriptionId: string; };
            request: { json: components["schemas"]["UsageLimitsRequest"]; };
        };
        /** Change where a version of an on-premise service runs */
        setTarget: {
            answer: components["schemas"]["ServiceVersion"];
            parameters: { serviceId: string; version: string; };
            request: { json: components["schemas"]["TargetRequest"]; };
        };
        /** Set as which application the tasks of a workflow draft call services */
        setWorkflowApplication: {
            answer: components["schemas"]["ServiceVersion"];
            parameters: { serviceId: string; version: string; };
            request: { json: components["schemas"]["WorkflowApplicationRequest"]; };
        };
        /** Access of a user or an organization to a service, while all constraints hold. */
        Share: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** Not active any more from then on. Null: without end. yyyy-MM-dd HH:mm:ss, UTC. */
            endDate: string | null;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** Rights that the share gives while it is ACTIVE, with the versions that the service has now. JOBS: the recipient runs it in the job interface. API: applications of the recipient can subscribe to it and call it. */
            opens: ("JOBS" | "API")[];
            recipient: components["schemas"]["Recipient"];
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            /** Not active before. Null: from now on. yyyy-MM-dd HH:mm:ss, UTC. */
            startDate: string | null;
            /** NEVER_ACTIVE: it ends before it starts. */
            status: "ACTIVE" | "NOT_YET" | "EXPIRED" | "NEVER_ACTIVE";
        };
        /** A service as a recipient sees it: without source and configuration. */
        SharedService: {
            description: string;
            /** When the access ends. Null: without end. yyyy-MM-dd HH:mm:ss, UTC. */
            endDate: string | null;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            owner: components["schemas"]["Owner"];
            slug: string;
            type: "MANAGED" | "ON_PREMISE" | "WORKFLOW";
            /** Published ones, newest first. While none can be started, the draft, as soon as it can be run. */
            versions: components["schemas"]["SharedServiceVersion"][];
        };
        SharedServiceVersion: {
            /** Address at the gateway, where applications may subscribe: published internally. */
            endpoint?: string;
            /** Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them. */
            hosts?: string[];
            /** Rights of the recipient on the version. JOBS: the recipient runs it in the job interface. API: applications of the recipient can subscribe to it and call it. */
            opens: ("JOBS" | "API")[];
            /** Parameters of run(). */
            parameters?: components["schemas"]["ServiceParameter"][];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            publishedAt?: string;
            state: "DRAFT" | "PUBLISHED";
            /** Three dot-separated numbers. */
            version: string;
        };
        SignInEndpoint: {
            /** The public client to sign in with. PKCE protects the code. */
            clientId: string;
            /** OpenID Connect issuer; its discovery document names the endpoints. */
            issuer: string;
            /** Scopes that make an access token one for the platform interface. */
            scope: string;
        };
        SigningKeyRenewal: {
            /** When the new key begins to sign, in UTC. Until then it is only published. */
            signsAt: string;
            /** The tokens that the key signs. Login sessions of an external identity provider are signed there. */
            use: "BEARER_TOKENS" | "LOGIN_SESSIONS";
        };
        SourceFile: {
            bytes: number;
            /** Names with slashes between, such as `src/program.py`. */
            path: string;
        };
        /** The commit of an implementation that a source was taken from. */
        SourceOrigin: {
            /** Commit, 40 hexadecimal digits. */
            commit: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            implementationId: string;
            /** Branch or tag. */
            ref: string;
        };
        /** Run the newest version of a service: the newest published one, or the draft while there is none */
        startJob: {
            answer: components["schemas"]["ServiceExecution"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["ExecutionInput"]; };
        };
        /** Run a version of a service */
        startJobOfVersion: {
            answer: components["schemas"]["ServiceExecution"];
            parameters: { serviceId: string; version: string; };
            request: { json: components["schemas"]["ExecutionInput"]; };
        };
        StorageQuota: {
            ownerId: string;
            ownerType: "USER" | "ORGANIZATION";
            /** Bytes that it may keep; null is no limit. */
            quotaBytes: number | null;
            /** Bytes that the owner keeps. */
            usedBytes: number;
        };
        StorageQuotaRequest: {
            /** Bytes; null is no limit. Left out: what the installation allows everybody. */
            quotaBytes?: number | null;
        };
        /** Outcome of counting everything anew. */
        StorageRecount: {
            corrected: {
                /** Bytes that are there. */
                after: number;
                /** Bytes that had been counted. */
                before: number;
                ownerId: string;
                ownerType: "USER" | "ORGANIZATION";
            }[];
            /** Number of owners that were counted. */
            owners: number;
        };
        /** Bytes that the caller, or the organization, keeps on the platform. */
        StorageUsage: {
            /** Files in own data pools. */
            dataPoolBytes: number;
            /** Result files, as they are downloaded. */
            fileBytes: number;
            /** Inputs of executions that have not ended. */
            inputBytes: number;
            /** The time for which the platform keeps results, result files and logs; null is for good. */
            keepDays: number | null;
            /** Logs of executions. */
            logBytes: number;
            /** Bytes that may be used; null is no limit. */
            quotaBytes: number | null;
            /** Results and records of executions. */
            resultBytes: number;
            retention: {
                /** The own, shorter time; null without one. */
                keepDays: number | null;
                services: {
                    keepDays: number;
                    /** UUID; version 7 where the platform mints it, so ids order by creation. */
                    serviceId: string;
                }[];
            };
            /** Uploaded versions of own services, and the logs of their builds. */
            serviceBytes: number;
            /** All that follows, together. */
            usedBytes: number;
        };
        /** Subscribe to a service */
        subscribe: {
            answer: components["schemas"]["Subscription"];
            parameters: { applicationId: string; };
            request: { json: components["schemas"]["SubscribeRequest"]; };
        };
        /** Without `version`, the newest published one. In the marketplace, the one that is offered there. */
        SubscribeRequest: {
            /** The plan of the marketplace to subscribe on. */
            pricingPlanId?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            /** Three dot-separated numbers. */
            version?: string;
        };
        /** `pricingPlan` stands in a subscription made in the marketplace: as it was then, which holds until the application subscribes anew. */
        Subscription: {
            /** Reason why the application could subscribe. */
            basis: "INTERNAL" | "SHARE" | "MARKETPLACE";
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** Address of the service at the gateway. */
            endpoint: string;
            /** Hosts that executions may call, each with a port or at 443; nothing else can be reached. Whoever can subscribe sees them. */
            hosts?: string[];
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            limits: components["schemas"]["UsageLimits"];
            pricingPlan?: components["schemas"]["PricingPlan"];
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            serviceName: string;
            usage: components["schemas"]["UsageToday"];
            /** Three dot-separated numbers. */
            version: string;
        };
        /** Address and credentials of an on-premise service. */
        Target: {
            /** True if the gateway sends Basic credentials. */
            hasCredentials: boolean;
            timeoutSeconds: number;
            url: string;
        };
        /** Basic credentials that the gateway sends to the service. Never shown again. */
        TargetCredentials: { password: string; username: string; };
        TargetRequest: {
            /** null removes them. Left out: they stay as they are, which a change of scheme, host or port does not allow. */
            credentials?: components["schemas"]["TargetCredentials"] | null;
            /**
             * The time that the service may take to begin its answer, and to go on with it.
             * @default 60
             */
            timeoutSeconds?: number;
            /** Address of the service: scheme, host, port and the path below which calls are forwarded. https, and http where the installation allows it. */
            url: string;
        };
        /** Give an application to another owner */
        transferApplication: {
            answer: components["schemas"]["Application"];
            parameters: { applicationId: string; };
            request: { json: components["schemas"]["TransferRequest"]; };
        };
        /** Give a data pool to another owner */
        transferDataPool: {
            answer: components["schemas"]["DataPool"];
            parameters: { dataPoolId: string; };
            request: { json: components["schemas"]["TransferRequest"]; };
        };
        /** Give an implementation to another owner */
        transferImplementation: {
            answer: components["schemas"]["Implementation"];
            parameters: { implementationId: string; };
            request: { json: components["schemas"]["TransferRequest"]; };
        };
        /** The new owner: the caller, or an organization in which the caller is MAINTAINER or OWNER. */
        TransferRequest: { id: string; type: "USER" | "ORGANIZATION"; };
        /** Give a service to another owner */
        transferService: {
            answer: components["schemas"]["Service"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["TransferRequest"]; };
        };
        TreeEntry: {
            /** Size of a file or a link. */
            bytes?: number;
            /** Git object. */
            id: string;
            isExecutable?: boolean;
            name: string;
            type: "FILE" | "FOLDER" | "LINK" | "SUBMODULE";
        };
        /** Take a service out of the marketplace */
        unpublishListing: { parameters: { serviceId: string; }; };
        /** End a subscription */
        unsubscribe: { parameters: { applicationId: string; subscriptionId: string; }; };
        /** Change name and description of a data pool */
        updateDataPool: {
            answer: components["schemas"]["DataPool"];
            parameters: { dataPoolId: string; };
            request: { json: components["schemas"]["UpdateDataPoolRequest"]; };
        };
        UpdateDataPoolRequest: { description?: string; name?: string; };
        /** Change the settings of an implementation */
        updateImplementation: {
            answer: components["schemas"]["Implementation"];
            parameters: { implementationId: string; };
            request: { json: components["schemas"]["UpdateImplementationRequest"]; };
        };
        UpdateImplementationRequest: {
            defaultBranch?: string;
            description?: string;
            /** Last segment of the address, such as `portfolio-optimizer`. */
            name?: string;
            protection?: components["schemas"]["BranchProtection"];
            /** PRIVATE: owner and members. PUBLIC: anybody can clone and read it, also without an account. */
            visibility?: "PRIVATE" | "PUBLIC";
        };
        /** Change your profile */
        updateMe: {
            answer: components["schemas"]["UserDto"];
            request: { json: components["schemas"]["UpdateUserRequest"]; };
        };
        /** Change name or description */
        updateService: {
            answer: components["schemas"]["Service"];
            parameters: { serviceId: string; };
            request: { json: components["schemas"]["UpdateServiceRequest"]; };
        };
        UpdateServiceRequest: { description?: string; name?: string; };
        /** A field that is absent or null keeps its value; an empty text clears it to null. */
        UpdateUserRequest: {
            about?: string | null;
            currentPosition?: string | null;
            /** An absolute http or https address. */
            homepage?: string | null;
        };
        /** Upload the API specification of a draft: OpenAPI 3.0 or 3.1, as JSON or YAML */
        uploadApiSpecification: {
            answer: components["schemas"]["ApiSpecification"];
            parameters: { serviceId: string; version: string; };
            request: { body: unknown; json: components["schemas"]["ApiSpecification"]; };
        };
        /** Upload a file, or replace the content of the one that has this name */
        uploadDataPoolFile: {
            answer: components["schemas"]["DataPoolFile"];
            parameters: { dataPoolId: string; name: string; };
            request: { body: unknown; };
        };
        /** Upload your profile image */
        uploadProfileImage: { request: { body: unknown; }; };
        /** Limits of a subscription, all provisions considered. */
        UsageLimits: {
            /** Executions on one day (UTC). Null: no limit. */
            executionsPerDay: number | null;
            /** Executions in one calendar month (UTC). Null: no limit. */
            executionsPerMonth: number | null;
            /** Requests a minute. Null: no limit. */
            requestsPerMinute: number | null;
        };
        /** Limits that the provider of a service sets: for one subscription, or for all without limits of their own. Beyond both, the defaults of the installation hold. */
        UsageLimitsRequest: {
            /** Executions on one day (UTC). Null: what is set further out holds. */
            executionsPerDay: number | null;
            /** Executions in one calendar month (UTC). Null: what is set further out holds. */
            executionsPerMonth: number | null;
            /** Requests a minute. Null: what is set further out holds. */
            requestsPerMinute: number | null;
        };
        UsageRecord: {
            amount: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            at: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            currency?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            product: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            subscriptionId: string;
            test: boolean;
            /** Price of a unit on a commercial plan. */
            unitPrice?: string;
            /** Three dot-separated numbers. */
            version: string;
        };
        UsageReport: {
            /** A decimal number as text, with at most six decimals. */
            amount: string;
            /** When it was used: yyyy-MM-dd HH:mm:ss, UTC. Now when left out. */
            at?: string;
            /** Name of the use. On a commercial plan: the id of a product of it that is metered as REPORTED. */
            product: string;
            /** The subscription of the calls. The gateway sends it to the service as `X-Kethub-Subscription-Id`. */
            subscriptionId: string;
            /**
             * Checked and recorded like any other, and never counted.
             * @default false
             */
            test?: boolean;
        };
        UsageToday: {
            /** Null: not counted, as there is no quota. */
            executionsThisMonth: number | null;
            /** Null: not counted, as there is no quota. */
            executionsToday: number | null;
        };
        UserDto: {
            about: string | null;
            currentPosition: string | null;
            email: string;
            firstname: string;
            homepage: string | null;
            /** Subject of the identity provider. */
            id: string;
            lastname: string;
            username: string;
        };
        UserOverviewDto: { firstname: string; id: string; lastname: string; };
        UserSearchDto: { firstname: string; id: string; lastname: string; };
        /** Withdraw an invitation to an implementation */
        withdrawImplementationInvitation: { parameters: { implementationId: string; invitationId: string; }; };
        /** Withdraw an invitation */
        withdrawInvitation: { parameters: { invitationId: string; organizationId: string; }; };
        /** Take the announcement back, before the sunset */
        withdrawRetirement: {
            answer: components["schemas"]["ServiceVersion"];
            parameters: { serviceId: string; version: string; };
        };
        WorkflowApplicationRequest: {
            /** An application of the same owner, or null. */
            applicationId: string | null;
        };
        WorkflowDetails: {
            /** As which tasks call services that name no application themselves. */
            applicationId: string | null;
            /** Messages that it waits for, or that start it. */
            messages: {
                /** Id of a BPMN element. */
                elementId: string;
                name: string;
                starts: boolean;
            }[];
            /** A version with problems is saved, and cannot be deployed. */
            problems: components["schemas"]["WorkflowProblem"][];
            processId: string | null;
            /** Services that its tasks call. */
            services: {
                applicationId: string | null;
                /** Id of a BPMN element. */
                elementId: string;
                /** UUID; version 7 where the platform mints it, so ids order by creation. */
                serviceId: string;
                serviceVersion: string | null;
            }[];
            /** Signals that it waits for, and that start it. */
            signals: {
                /** Id of a BPMN element. */
                elementId: string;
                name: string;
                starts: boolean;
            }[];
            /** Probable mistakes that are no reason to refuse it, such as a variable that nothing defines. */
            warnings: components["schemas"]["WorkflowProblem"][];
        };
        WorkflowError: {
            applicationId?: string;
            errorCode: string;
            /** Id of a BPMN element. */
            failedElement: string;
            message: string;
            response?: unknown;
            serviceId?: string;
        };
        /** A failure that keeps an instance from going on, with its element and the variables that the element sees. */
        WorkflowIncident: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            at: string;
            /** Id of a BPMN element. */
            elementId: string;
            elementName: string | null;
            error: components["schemas"]["WorkflowError"];
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            executionId: string;
            /** Its number within the instance. */
            incident: number;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            instanceId: string;
            processId: string;
            /** Steps to take before it is tried again. */
            remedy?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId?: string;
            type: string;
            variables?: { [key: string]: unknown; };
            /** Three dot-separated numbers. */
            version?: string;
        };
        /** Open incidents with one cause: the same error at the same element of one version. */
        WorkflowIncidentGroup: {
            /** Id of a BPMN element. */
            elementId: string;
            elementName: string | null;
            errorCode: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            firstAt: string;
            incidents: number;
            instances: number;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            lastAt: string;
            newest: components["schemas"]["WorkflowIncident"];
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId: string;
            serviceName: string;
            type: string;
            /** Three dot-separated numbers. */
            version: string;
        };
        /** An execution of a workflow, or what one of its call activities has started. */
        WorkflowInstance: {
            /** Open incidents of what its call activities have started, and of what that calls. */
            childIncidents: number;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            endedAt?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            executionId: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** Its own open incidents. */
            incidents: number;
            parentId: string | null;
            phase: "NEW" | "RUNNING" | "COMPLETED" | "CANCELLED" | "ERROR";
            processId: string | null;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId?: string;
            /** Three dot-separated numbers. */
            version?: string;
        };
        WorkflowInstanceCounts: {
            /** The newest instances are counted, at most 100000. */
            counted: number;
            /** True if there are more instances than were counted. */
            isPartial: boolean;
            /** Number of instances in each phase. */
            phases: { [key: string]: number; };
            /** Those that stand still, also in what they have called. */
            withIncidents: number;
        };
        WorkflowInstanceDetails: {
            /** Elements that are active or wait. */
            activities: {
                /** Open incidents of what it has started, and of what that calls. */
                childIncidents?: number;
                /** The instance that a call activity has started. */
                childInstanceId?: string;
                /** yyyy-MM-dd HH:mm:ss, UTC. */
                due?: string;
                /** Key of the element instance. */
                element: number;
                /** Id of a BPMN element. */
                elementId: string;
                /** The execution that it waits for. */
                job?: {
                    attempts: number;
                    /** UUID; version 7 where the platform mints it, so ids order by creation. */
                    executionId: string;
                    state: string;
                };
                loopCounter?: number;
                message?: { correlationKey: string; name: string; };
                phase: string;
                scope: number;
                /** The signal that it waits for. */
                signal?: { name: string; };
            }[];
            /** Open incidents of what its call activities have started, and of what that calls. */
            childIncidents: number;
            /** Instances that its call activities have started, newest first; at most 100. */
            children: components["schemas"]["WorkflowInstance"][];
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            createdAt: string;
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            endedAt?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            executionId: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            /** Its own open incidents. */
            incidents: number;
            openIncidents: components["schemas"]["WorkflowIncident"][];
            parentId: string | null;
            phase: "NEW" | "RUNNING" | "COMPLETED" | "CANCELLED" | "ERROR";
            processId: string | null;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            serviceId?: string;
            variables: { [key: string]: unknown; };
            /** Three dot-separated numbers. */
            version?: string;
            /** Warnings of expressions, such as a variable that is not there: each once, at most 20. */
            warnings: {
                code: string;
                /** Id of a BPMN element. */
                elementId: string;
                expression: string;
                message: string;
            }[];
        };
        /** One thing that an instance did. */
        WorkflowJournalEntry: {
            /** yyyy-MM-dd HH:mm:ss, UTC. */
            at: string;
            seq: number;
            type: string;
        } & { [key: string]: unknown; };
        /** Outcome of a message. */
        WorkflowMessageReceipt: {
            correlationKey: string;
            /** Number of waiting instances that have received it. */
            delivered: number;
            /** The same as a sentence. */
            detail: string;
            /** Until when it waits. Absent: it was delivered. */
            expiresAt?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            /** STARTED and DELIVERED: an instance got it; otherwise it waits. WAITING: nobody waits for the name now. OTHER_KEY: instances wait for the name with other correlation keys. KEY_ACTIVE: an instance that was started with this key is active, and no second one is started. UNKNOWN_NAME: no version of the workflow has the name. */
            outcome: "STARTED" | "DELIVERED" | "WAITING" | "OTHER_KEY" | "KEY_ACTIVE" | "UNKNOWN_NAME";
            /** Executions that it has started. */
            started: string[];
        };
        /** A message for instances that wait for one of this name and correlation key, or for a start event of this name. */
        WorkflowMessageRequest: {
            /** @default  */
            correlationKey?: string;
            messageId?: string;
            name: string;
            /**
             * For so long it waits for an instance that wants it.
             * @default 3600
             */
            timeToLiveSeconds?: number;
            variables?: { [key: string]: unknown; };
        };
        /** Reason why a workflow file cannot be deployed, and its place. */
        WorkflowProblem: {
            code: string;
            /** Id of the BPMN element; null where none can be named. */
            elementId: string | null;
            /** The text of the expression that is wrong. */
            expression?: string;
            message: string;
        };
        /** A timer start event of the deployed version of a workflow service. */
        WorkflowSchedule: {
            /** Id of a BPMN element. */
            elementId: string;
            /** Reason why it could not the last time; null when it could. */
            failure: string | null;
            /** Number of times in a row that it could not start an instance. */
            failures: number;
            /** When it is to start an instance. Absent: not known, or stopped. */
            nextAt?: string;
            /** Since when it is stopped, after 20 failures in a row: mend the cause, then try it again. */
            stoppedAt?: string;
            /** Three dot-separated numbers. */
            version: string;
        };
        /** Events and instances that a signal reaches. */
        WorkflowSignalReceipt: {
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            name: string;
            /** Executions that it has started, at the address of a subscription. */
            started: string[];
            /** Number of start events for which a worker starts an instance; at the address of a subscription, 0. */
            starting: number;
            /** Number of waiting events that receive it. 10000 stands for as many or more. */
            waiting: number;
        };
        /** A signal for every event that waits for its name now, and for start events of its name. */
        WorkflowSignalRequest: { name: string; variables?: { [key: string]: unknown; }; };
        /** The variables of an instance, scope by scope, now or after an earlier step. */
        WorkflowVariables: {
            /** True if there are more scopes than are shown. */
            isPartial: boolean;
            /** The process, and the open elements that have variables of their own; at most 200, the oldest. */
            scopes: {
                /** Key of the element instance. */
                element: number;
                /** Id of a BPMN element. */
                elementId: string;
                elementName: string | null;
                /** Its number in a loop, from 1. */
                loopCounter?: number;
                /** Key of the element instance that contains it; 0 for the process. */
                scope: number;
                variables: { [key: string]: unknown; };
            }[];
            /** Number of the entry of the journal after which they are as shown. */
            step: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
