import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Refusal } from './refusal.ts';

/** Where the gateway may forward calls of on-premise services to. */
export interface OnPremiseSettings {
  /** Beside public addresses, as `10.1.0.0/16`. */
  readonly networks: readonly string[];
  /** First and last port of each range. */
  readonly ports: readonly (readonly [number, number])[];
  /** Whether a target may be reached without TLS. */
  readonly http: boolean;
  /** Certificates in PEM that are trusted beside the usual ones, or null. */
  readonly certificates: string | null;
  /** Largest body of a request, or null without limit. */
  readonly bodyBytes: number | null;
}

interface Given {
  readonly KETHUB_ON_PREMISE_NETWORKS?: string;
  readonly KETHUB_ON_PREMISE_PORTS: string;
  readonly KETHUB_ON_PREMISE_HTTP: 'off' | 'on';
  readonly KETHUB_ON_PREMISE_CA_FILE?: string;
  readonly KETHUB_ON_PREMISE_BODY_MB: number;
}

/** Throws Refusal for what is no network, port or file of certificates. */
export function onPremiseOf(given: Given): OnPremiseSettings {
  return {
    networks: networksOf('KETHUB_ON_PREMISE_NETWORKS', given.KETHUB_ON_PREMISE_NETWORKS),
    ports: listOf(given.KETHUB_ON_PREMISE_PORTS).map(range),
    http: given.KETHUB_ON_PREMISE_HTTP === 'on',
    certificates: certificatesOf(given.KETHUB_ON_PREMISE_CA_FILE),
    bodyBytes: given.KETHUB_ON_PREMISE_BODY_MB === 0 ? null : given.KETHUB_ON_PREMISE_BODY_MB * 1024 * 1024,
  };
}

function listOf(text = ''): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** Throws Refusal for what is no network, naming the setting. */
export function networksOf(setting: string, text: string | undefined): string[] {
  return listOf(text).map((one) => network(setting, one));
}

function network(setting: string, text: string): string {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  try {
    if (version === 0 || rest.length > 0 || address.includes('%')) throw new Error('no address');
    if (bits !== undefined) {
      if (!/^\d{1,3}$/.test(bits)) throw new Error('no prefix');
      new BlockList().addSubnet(address, Number(bits), version === 6 ? 'ipv6' : 'ipv4');
    }
  } catch {
    throw new Refusal(`${setting} holds ${text}, which is no network. Write it as 10.1.0.0/16.`);
  }
  return text;
}

function range(text: string): readonly [number, number] {
  const [first = '', last = first, ...rest] = text.split('-');
  const ports = [Number(first), Number(last)] as const;
  const usable = ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535) && ports[0] <= ports[1];
  if (usable && rest.length === 0) return ports;
  throw new Refusal(`KETHUB_ON_PREMISE_PORTS holds ${text}, which is no port or range. Write 443 or 8000-8999.`);
}

function certificatesOf(file: string | undefined): string | null {
  if (file === undefined) return null;
  try {
    const pem = readFileSync(file, 'utf8');
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it holds no certificate in PEM');
    createSecureContext({ ca: pem });
    return pem;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`KETHUB_ON_PREMISE_CA_FILE=${file} cannot be used: ${reason}.`);
  }
}
