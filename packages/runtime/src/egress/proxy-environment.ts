export const PROXY_PORT = 3128;
const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const LOCAL = 'localhost,127.0.0.1,::1';

/** Variables that lead programs to the proxy of their execution. */
export const PROXY_ENVIRONMENT = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  NO_PROXY: LOCAL,
  http_proxy: PROXY,
  https_proxy: PROXY,
  no_proxy: LOCAL,
};
