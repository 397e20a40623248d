import { foldedView } from '../pipeline/folded-view.ts';

const GAP = String.raw`[^\p{L}\p{N}]{0,8}`;

/** What may pass for the bracket of `[devs: …]`, before that name. Folded, `«` and `‹` are `<`. */
const VOICE = new RegExp(String.raw`[\p{Ps}\p{Pi}<](?=${GAP}${['d', 'e', 'v', 's'].join(GAP)})`, 'giu');

/**
 * A line that does not sound like devs, which says what it has to say in `[devs: …]`: another's words, in any letters that
 * are read as these and with anything between them that is none, begin with a round bracket.
 */
export function withoutDevsVoice(line: string): string {
  const view = foldedView(line);
  let quiet = '';
  let from = 0;
  for (const { 0: bracket, index } of (view?.text ?? line).matchAll(VOICE)) {
    const end = index + bracket.length;
    const place = view?.sourceOf(index, end) ?? { start: index, end };
    quiet += `${line.slice(from, place.start)}(`;
    from = place.end;
  }
  return quiet + line.slice(from);
}
