import { FeelDate } from '../values/temporal.ts';

// The proleptic Gregorian calendar as day numbers from 1970-01-01, after Howard Hinnant, "chrono-Compatible Low-Level
// Date Algorithms". FEEL has years up to 999999999; the Temporal of JavaScript ends at 275760.

/** The largest year that a date can have, before and after year 0 (DMN 1.5, 10.3.2.3.5). */
const MAX_YEAR = 999_999_999;

const DAYS_PER_ERA = 146_097;
const YEARS_PER_ERA = 400;
/** Days from 0000-03-01 to 1970-01-01. */
const EPOCH_SHIFT = 719_468;

export function dayNumber(date: FeelDate): number {
  const year = date.month <= 2 ? date.year - 1 : date.year;
  const era = Math.floor(year / YEARS_PER_ERA);
  const yearOfEra = year - era * YEARS_PER_ERA;
  const month = date.month > 2 ? date.month - 3 : date.month + 9;
  const dayOfYear = Math.floor((153 * month + 2) / 5) + date.day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - EPOCH_SHIFT;
}

/** The date of a day number. Null if its year is out of range. */
export function dateOfDay(number: number): FeelDate | null {
  const shifted = number + EPOCH_SHIFT;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const monthOfYear = month < 10 ? month + 3 : month - 9;
  return validDate(yearOfEra + era * YEARS_PER_ERA + (monthOfYear <= 2 ? 1 : 0), monthOfYear, day);
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The date, or null if there is none. */
export function validDate(year: number, month: number, day: number): FeelDate | null {
  if (![year, month, day].every(Number.isInteger)) return null;
  if (Math.abs(year) > MAX_YEAR || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  return new FeelDate(year, month, day);
}

/** Adds months; the last day of the month where the month is too short. Null if out of range. */
export function addMonths(date: FeelDate, months: number): FeelDate | null {
  const total = date.year * 12 + date.month - 1 + months;
  const year = Math.floor(total / 12);
  const month = total - year * 12 + 1;
  return validDate(year, month, Math.min(date.day, daysInMonth(year, month)));
}

/** 1 for Monday to 7 for Sunday (ISO 8601). */
export function dayOfWeek(date: FeelDate): number {
  return ((((dayNumber(date) + 3) % 7) + 7) % 7) + 1;
}

export function dayOfYear(date: FeelDate): number {
  return dayNumber(date) - dayNumber(new FeelDate(date.year, 1, 1)) + 1;
}

/** The week of ISO 8601: the one with the year's first Thursday is the first. */
export function weekOfYear(date: FeelDate): number {
  const thursday = dayNumber(date) - dayOfWeek(date) + 4;
  const inItsYear = dateOfDay(thursday);
  return inItsYear ? Math.floor((dayOfYear(inItsYear) - 1) / 7) + 1 : 1;
}

/** Whole months from one date to another, negative backwards (as `java.time.Period.between`). */
export function monthsBetween(from: FeelDate, to: FeelDate): number {
  const months = (to.year - from.year) * 12 + (to.month - from.month);
  if (months > 0 && to.day < from.day) return months - 1;
  if (months < 0 && to.day > from.day) return months + 1;
  return months;
}
