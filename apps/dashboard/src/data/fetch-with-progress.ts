/** `fetch` that reports how many bytes of the body were sent: browsers report nothing of the body of a `fetch`. */
export function fetchWithProgress(onProgress: (sent: number) => void): typeof fetch {
  return (input, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      const { signal, body } = init;
      const request = new XMLHttpRequest();
      request.open(init.method ?? 'GET', input instanceof Request ? input.url : input);
      request.responseType = 'arraybuffer';
      new Headers(init.headers).forEach((value, name) => request.setRequestHeader(name, value));
      request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
      request.addEventListener('load', () => resolve(responseOf(request)));
      request.addEventListener('error', () => reject(new TypeError('Failed to fetch')));
      request.addEventListener('abort', () => reject(new DOMException('The upload was stopped.', 'AbortError')));
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      if (signal?.aborted) reject(new DOMException('The upload was stopped.', 'AbortError'));
      else request.send(body instanceof Blob || body instanceof FormData || typeof body === 'string' ? body : null);
    });
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  const hasBody = request.status !== 204 && request.status !== 304;
  const content: unknown = request.response;
  return new Response(hasBody && content instanceof ArrayBuffer ? content : null, { status: request.status, headers });
}
