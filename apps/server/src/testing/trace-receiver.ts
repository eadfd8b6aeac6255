import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The members of OTLP's JSON (opentelemetry-proto 1) that tests read. */
export interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
}
interface ExportRequest {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: { readonly spans: ExportedSpan[] }[];
  }[];
}

/** Starts a receiver of OTLP over HTTP, as a collector is one. */
export async function startReceiver() {
  const spans: ExportedSpan[] = [];
  const services = new Set<string | undefined>();
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const right = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json';
      if (!right) throw new Error(`${request.url} ${request.headers['content-type']}`);
      const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as ExportRequest;
      for (const { resource, scopeSpans } of body.resourceSpans) {
        services.add(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    })().catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    services,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
