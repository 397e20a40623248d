import { checkMinted } from './minted.mjs';
import { checkParameters } from './parameters.mjs';
import { checkPlaces } from './places.mjs';
import { checkState } from './state.mjs';
import { checkWords } from './words.mjs';

/** How the code reads, as far as oxlint cannot say it. */
export function checkShape(files) {
  return [checkParameters, checkMinted, checkPlaces, checkState, checkWords].flatMap((check) => check(files));
}
