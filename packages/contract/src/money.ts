/** Currencies (ISO 4217) of prices, by the number of decimals of their minor unit. */
const byDecimals: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE
    CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR
    KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB
    PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY
    TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
};

const decimalsOf = new Map(
  Object.entries(byDecimals).flatMap(([decimals, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(decimals)] as const),
  ),
);

export const currencies: readonly string[] = [...decimalsOf.keys()].toSorted();

/** Most decimals of amounts and prices, which are computed as integers in millionths. */
const DECIMALS = 6;
const MICROS = 10n ** BigInt(DECIMALS);

/** Millionths of a decimal text with at most six decimals. */
export function toMicros(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole) * MICROS + BigInt(fraction.padEnd(DECIMALS, '0'));
}

/** The shortest decimal text of a number of millionths: `0.05`, `12`. */
export function fromMicros(micros: bigint): string {
  const fraction = (micros % MICROS).toString().padStart(DECIMALS, '0').replace(/0+$/, '');
  return `${micros / MICROS}${fraction && `.${fraction}`}`;
}

/** The cost of an amount in minor units of the currency: computed exactly, then rounded once, half up. */
export function costOf(amountMicros: bigint, unitPrice: string, currency: string): bigint {
  const product = amountMicros * toMicros(unitPrice);
  const divisor = (MICROS * MICROS) / 10n ** BigInt(minorDecimals(currency));
  return (product + divisor / 2n) / divisor;
}

/** Minor units as a decimal text with the decimals of the currency: `12.50` EUR, `12` JPY. */
export function fromMinorUnits(minorUnits: bigint, currency: string): string {
  const decimals = minorDecimals(currency);
  const digits = minorUnits.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function minorDecimals(currency: string): number {
  const decimals = decimalsOf.get(currency);
  if (decimals === undefined) throw new RangeError(`${currency} is no currency in which prices can be set`);
  return decimals;
}
