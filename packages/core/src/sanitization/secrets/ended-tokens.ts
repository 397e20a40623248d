import { REACH, type Part } from './look.ts';
import { LEFT_EDGE, looksRandom, type SecretRule } from './secret-rule.ts';
import { dense } from './token-shapes.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';

/** A token that says by its last units, or by its inner marks, whose it is. All of it is one long word, to the word's end. */
interface EndedRule extends SecretRule {
  /** The mark, and where it stands: so many units before the end of the word. */
  readonly mark: string;
  readonly places: readonly number[];
  /** Source of a pattern for the whole token, whose length its first place tells. */
  readonly token: string;
  readonly lengths: readonly number[];
  readonly accepts: (token: string) => boolean;
}

/** The data centre behind a digest of 32 digits; a digest before digests; marks in a run of letters; two parts of base62. */
export const ENDED_RULES: readonly EndedRule[] = [
  { id: 'mailchimp-key', title: 'Mailchimp key', mark: '-us', places: [4, 5], token: '[a-f0-9]{32}-us\\d{1,2}', lengths: [36, 37], accepts: looksRandom },
  { id: 'mailgun-key', title: 'Mailgun key', mark: '-', places: [9], token: '[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}', lengths: [50], accepts: looksRandom },
  { id: 'new-relic-key', title: 'New Relic key', mark: 'NRAL', places: [4], token: '[A-Za-z0-9]{36}NRAL', lengths: [40], accepts: looksRandom },
  { id: 'rapidapi-key', title: 'RapidAPI key', mark: 'jsn', places: [15], token: '[a-z0-9]{10}msh[a-z0-9]{15}p1[a-z0-9]{5}jsn[a-z0-9]{12}', lengths: [50], accepts: looksRandom },
  { id: 'ngrok-token', title: 'ngrok token', mark: '_', places: [22], token: '[123][A-Za-z0-9]{26}_[A-Za-z0-9]{21}', lengths: [49], accepts: dense },
];

const COMPILED = ENDED_RULES.map(({ token, ...rule }) => ({ ...rule, pattern: new RegExp(`${LEFT_EDGE}${token}`, 'y') }));

/** Units. */
export const SHORTEST_ENDED = Math.min(...ENDED_RULES.flatMap(({ lengths }) => lengths));

/** The token that ends where this word ends. */
export function endedToken(text: string, { end, work }: { readonly end: number; readonly work: WorkBudget }): (Part & { readonly rule: string }) | undefined {
  for (const { id, mark, places, lengths, pattern, accepts } of COMPILED) {
    const index = places.findIndex((place) => text.startsWith(mark, end - place));
    const start = end - (lengths[index] ?? 0);
    if (index === -1 || start < 0) continue;
    work.spend(REACH.value);
    pattern.lastIndex = start;
    if (pattern.test(text) && pattern.lastIndex === end && accepts(text.slice(start, end))) return { start, end, rule: id };
  }
  return undefined;
}
