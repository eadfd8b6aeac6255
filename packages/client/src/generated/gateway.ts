// Made from the OpenAPI document by `npm run generate`. Change the endpoint, not this file.
export interface components {
    schemas: {
        /** OpenAPI document of a version of a service. */
        ApiSpecification: {
            /** 3.0.x or 3.1.x. */
            openapi: string;
        } & { [key: string]: unknown; };
        /** Broadcast a signal to a workflow */
        broadcastSignal: {
            answer: components["schemas"]["WorkflowSignalReceipt"];
            parameters: { owner: string; service: string; version: string; };
            request: { json: components["schemas"]["WorkflowSignalRequest"]; };
        };
        /** Cancel a PENDING or RUNNING execution */
        cancelExecution: {
            answer: components["schemas"]["ServiceExecution"];
            parameters: { id: string; owner: string; service: string; version: string; };
        };
        DataPoolReference: {
            /** Token with which somebody lends the application their rights on the data pool. */
            grant?: string;
            /** UUID; version 7 where the platform mints it, so ids order by creation. */
            id: string;
            ref: "DATAPOOL" | "datapool";
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
        /** Read the status of an execution */
        getExecution: {
            answer: components["schemas"]["ServiceExecution"];
            parameters: { id: string; owner: string; service: string; version: string; };
        };
        /** Read or follow the log of an execution */
        getLog: {
            answer: components["schemas"]["LogEntry"][];
            parameters: { id: string; owner: string; service: string; version: string; };
        };
        /** Read the result of an execution */
        getResult: {
            answer: components["schemas"]["ResultResponse"];
            parameters: { id: string; owner: string; service: string; version: string; };
        };
        /** Download a result file */
        getResultFile: { parameters: { file: string; id: string; owner: string; service: string; version: string; }; };
        /** Read the API specification of a managed service (OpenAPI) */
        getServiceOpenApi: {
            answer: components["schemas"]["ApiSpecification"];
            parameters: { owner: string; service: string; version: string; };
        };
        /** Problem data: any JSON value. */
        InputData: unknown;
        /** Parameters that influence evaluation: any JSON value. */
        InputParams: unknown;
        /** HAL link. */
        Link: { href: string; };
        /** List executions, newest first */
        listExecutions: {
            answer: components["schemas"]["ServiceExecutionEntry"][];
            parameters: {
                cursor?: string;
                limit?: number;
                owner: string;
                service: string;
                tag?: string;
                version: string;
            };
        };
        /** One line of a log. */
        LogEntry: { message: string; severity: "DEBUG" | "INFO" | "NOTICE" | "WARNING" | "ERROR"; timestamp: string; };
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
        /** Publish a message for a workflow */
        publishMessage: {
            answer: components["schemas"]["WorkflowMessageReceipt"];
            parameters: { owner: string; service: string; version: string; };
            request: { json: components["schemas"]["WorkflowMessageRequest"]; };
        };
        /** Request a bearer token with the access key pair (grant_type=client_credentials) */
        requestToken: { answer: components["schemas"]["TokenResponse"]; request: { body: unknown; }; };
        /** The result at the root, and two HAL members. */
        ResultResponse: {
            _embedded: { status: components["schemas"]["ServiceExecution"]; };
            /** self, status and one link per result file, named by its file name. */
            _links: { self: components["schemas"]["Link"]; status: components["schemas"]["Link"]; } & {
                [key: string]: components["schemas"]["Link"];
            };
        } & { [key: string]: unknown; };
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
        /** A status object in a list, with its links. */
        ServiceExecutionEntry: {
            _links: {
                result: components["schemas"]["Link"];
                self: components["schemas"]["Link"];
                status: components["schemas"]["Link"];
            };
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
        /** Start an execution */
        startExecution: {
            answer: components["schemas"]["ServiceExecution"];
            parameters: { owner: string; service: string; version: string; };
            request: { json: components["schemas"]["ExecutionInput"]; };
        };
        TokenError: {
            error: "invalid_request" | "invalid_client" | "unsupported_grant_type";
            error_description: string;
        };
        TokenRequest: {
            /** @enum {string} */
            grant_type: "client_credentials";
        } & { [key: string]: unknown; };
        TokenResponse: {
            access_token: string;
            /** Seconds. */
            expires_in: number;
            scope: string;
            /** @enum {string} */
            token_type: "Bearer";
        };
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
