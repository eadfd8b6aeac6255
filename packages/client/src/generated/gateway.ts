// Made from the OpenAPI document by `npm run generate`. Change the endpoint, not this file.
export interface components {
    schemas: {
        /** @description OpenAPI document of a version of a service. */
        ApiSpecification: {
            /** @description 3.0.x or 3.1.x. */
            openapi: string;
        } & {
            [key: string]: unknown;
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
        /** @description Problem data: any JSON value. */
        InputData: unknown;
        /** @description Parameters that influence evaluation: any JSON value. */
        InputParams: unknown;
        /** @description HAL link. */
        Link: {
            href: string;
        };
        /** @description One line of a log. */
        LogEntry: {
            message: string;
            /** @enum {unknown} */
            severity: "DEBUG" | "INFO" | "NOTICE" | "WARNING" | "ERROR";
            /** Format: date-time */
            timestamp: string;
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
        /** @description A status object in a list, with its links. */
        ServiceExecutionEntry: {
            _links: {
                result: components["schemas"]["Link"];
                self: components["schemas"]["Link"];
                status: components["schemas"]["Link"];
            };
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
        TokenError: {
            /** @enum {unknown} */
            error: "invalid_request" | "invalid_client" | "unsupported_grant_type";
            error_description: string;
        };
        TokenRequest: {
            /** @enum {string} */
            grant_type: "client_credentials";
        } & {
            [key: string]: unknown;
        };
        TokenResponse: {
            access_token: string;
            /** @description Seconds. */
            expires_in: number;
            scope: string;
            /** @enum {string} */
            token_type: "Bearer";
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
    listExecutions: {
        parameters: {
            query?: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                cursor?: string;
                limit?: number;
                /** @description A word that a caller has marked executions with, without control characters. */
                tag?: string;
            };
            header?: never;
            path: {
                owner: string;
                service: string;
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
                    "application/json": components["schemas"]["ServiceExecutionEntry"][];
                };
            };
        };
    };
    startExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
                /** @description `wait=N`: wait for N seconds, at most 60 (RFC 7240). */
                Prefer?: string;
            };
            path: {
                owner: string;
                service: string;
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
    getExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description `wait=N`: wait for N seconds, at most 60 (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                owner: string;
                service: string;
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
                    "application/json": components["schemas"]["ServiceExecution"];
                };
            };
        };
    };
    cancelExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                owner: string;
                service: string;
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
                    "application/json": components["schemas"]["ServiceExecution"];
                };
            };
        };
    };
    getLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                owner: string;
                service: string;
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
    getResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                owner: string;
                service: string;
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
                    "application/json": components["schemas"]["ResultResponse"];
                };
            };
        };
    };
    getResultFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
                /** @description A part of the content, such as `bytes=0-1023` (RFC 9110, section 14). */
                Range?: string;
            };
            path: {
                file: string;
                /** @description UUID; version 7 where the platform mints it, so ids order by creation. */
                id: string;
                owner: string;
                service: string;
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
    getServiceOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of what is known already. 304 when that has not changed. */
                "If-None-Match"?: string;
            };
            path: {
                owner: string;
                service: string;
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
    publishMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
            };
            path: {
                owner: string;
                service: string;
                version: string;
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
    broadcastSignal: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body again, within 24 hours, get the first answer again. Another body is 422. */
                "Idempotency-Key"?: string;
            };
            path: {
                owner: string;
                service: string;
                version: string;
            };
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
    requestToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
        };
    };
}
