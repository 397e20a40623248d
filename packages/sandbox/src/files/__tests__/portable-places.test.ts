import { expect, test } from '@jest/globals';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createPlayground, SECRET, type Playground } from '../../__tests__/playground.ts';
import { locateBelowRoot, type Place } from '../places.ts';
import { PortablePlaces } from '../portable-places.ts';

function enter(places: PortablePlaces, name: string): Place {
  const place = places.enter(places.root, name);
  if (place === undefined) throw new Error('not a folder');
  return place;
}

function plant(ground: Playground): PortablePlaces {
  mkdirSync(ground.at('d'));
  writeFileSync(ground.at('d/secret.txt'), 'inside');
  return new PortablePlaces(ground.root);
}

test('a folder that was swapped for a link to the outside is noticed after a file in it was opened', () => {
  using ground = createPlayground();
  const places = plant(ground);
  const place = enter(places, 'd');
  renameSync(ground.at('d'), ground.at('parked'));
  symlinkSync(ground.outside, ground.at('d'));
  expect(() => places.open(place, 'secret.txt')).toThrow('PATH_OUTSIDE_ROOT');
  expect(() => locateBelowRoot(places, place)).toThrow('PATH_OUTSIDE_ROOT');
});

test('a folder that was swapped for another one, here or by a link inside, is not the one that was entered', () => {
  using ground = createPlayground();
  const places = plant(ground);
  const place = enter(places, 'd');
  expect(locateBelowRoot(places, place)).toEqual(['d']);
  renameSync(ground.at('d'), path.join(ground.outside, 'moved'));
  mkdirSync(ground.at('d'));
  writeFileSync(ground.at('d/secret.txt'), SECRET);
  expect(() => places.open(place, 'secret.txt')).toThrow('PATH_OUTSIDE_ROOT');
});
