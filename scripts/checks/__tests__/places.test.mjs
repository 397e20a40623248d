import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repository } from '../../lib/repository.mjs';
import { readRepository } from '../files.mjs';
import { checkPlaces } from '../places.mjs';

test('no package calls a tool handler, builds an error result or asks the container anywhere but in its one place', () => {
  assert.deepEqual(checkPlaces(readRepository(repository)), []);
});
