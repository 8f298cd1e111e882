// Formats numbers for people: few digits, a unit, a stable width.

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const NONE = '–';

export function count(n) {
  if (n === null || n === undefined || !Number.isFinite(n)) return NONE;
  return Math.abs(n) < 100000 ? whole.format(Math.round(n)) : short.format(n);
}

/** A number of events per second. */
export function rate(n) {
  if (n === null || n === undefined || !Number.isFinite(n)) return NONE;
  if (n === 0) return '0';
  return n < 0.1 ? '< 0.1' : n < 10 ? n.toFixed(1) : count(n);
}

/** The number of decimals for a column: 0 for integers, fewer for larger numbers. */
export function digits(numbers) {
  const known = numbers.filter((n) => Number.isFinite(n));
  if (known.every(Number.isInteger)) return 0;
  const most = Math.max(...known.map(Math.abs));
  return most < 10 ? 2 : most < 1000 ? 1 : 0;
}

/** A number with a fixed number of decimals. */
export const fixed = (n, places) => (Number.isFinite(n) ? (Math.abs(n) < 100000 ? n.toFixed(places) : count(n)) : NONE);

export function bytes(n) {
  if (n === null || n === undefined || !Number.isFinite(n)) return NONE;
  let amount = n;
  let unit = 0;
  while (Math.abs(amount) >= 1024 && unit < 4) {
    amount /= 1024;
    unit++;
  }
  const digits = unit === 0 || Math.abs(amount) >= 100 ? 0 : 1;
  return `${amount.toFixed(digits)} ${['B', 'KB', 'MB', 'GB', 'TB'][unit]}`;
}

export function millis(ms) {
  if (ms === null || ms === undefined) return NONE;
  if (ms === Infinity) return '> 60 s';
  if (ms < 0) return NONE;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10000 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 1000).toFixed(1)} s`;
}

/** A long time in its two largest units. */
export function age(ms) {
  const seconds = Math.floor(ms / 1000);
  const units = [
    [86400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
  const first = units.findIndex(([size]) => seconds >= size);
  if (first < 0) return '0 s';
  const [size, unit] = units[first];
  const next = units[first + 1];
  const rest = next ? Math.floor((seconds % size) / next[0]) : 0;
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${next[1]}` : ''}`;
}

const clockParts = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export const clock = (time) => clockParts.format(time);

/** `not-coordinated` as words. */
export const words = (label) => label.replaceAll('-', ' ').replaceAll('_', ' ');

/** A share rounded to 0.1 %; only an exact 0 or 1 shows as 0 % or 100 %. */
export function part(share) {
  if (!Number.isFinite(share)) return NONE;
  if (share > 0 && share < 0.001) return '< 0.1 %';
  if (share < 1 && share > 0.999) return '> 99.9 %';
  return `${Number((share * 100).toFixed(1))} %`;
}

export const percent = (share) => `${share > 0 && share < 0.01 ? '< 1' : Math.round(share * 100)} %`;
