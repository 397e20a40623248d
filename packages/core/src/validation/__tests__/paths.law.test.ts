import { realpathSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../__tests__/law-runs.ts';
import { isWithinAllowed, validatePath, type PathValidationOptions } from '../paths.ts';
import { createPathGround, type PathGround } from './path-ground.ts';


let ground: PathGround;
beforeAll(() => {
  ground = createPathGround();
});
afterAll(() => {
  ground[Symbol.dispose]();
});

describe('validatePath', () => {
  it('what is accepted leads inside, as the system itself resolves it', async () => {
    const segment = fc.constantFrom('..', '.', '', 'd', 'e', 'f', 'up', 'out', 'to-e', 'to-f', 'absolute', 'sneaky', 'none', 'a..b', 'dangling', 'circle', 'alias', 'root', 'outside');
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 8 }), fc.boolean(), async (segments, absolute) => {
        const name = absolute ? `${ground.root}/${segments.join('/')}` : segments.join('/');
        const { valid, resolved } = await validatePath(name, { base: ground.root, allowedPaths: [ground.root] });
        if (!valid) return;
        expect(isWithinAllowed(resolved, [ground.root])).toBe(true);
        const found = systemFinds(path.posix.isAbsolute(name) ? name : `${ground.root}/${name}`);
        expect(found ?? resolved).toBe(resolved);
        expect(systemFinds(resolved) ?? resolved).toBe(resolved);
      }),
      lawRuns(1_000),
    );
  });

  it('whatever is asked, and under whatever rules, it answers', async () => {
    const rules = fc.record({ base: fc.anything(), allowedPaths: fc.anything(), blockedPaths: fc.anything(), maxDepth: fc.anything(), allowSymlinks: fc.anything() }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.anything()), rules, async (name, options) => {
        const { valid, resolved, error } = await validatePath(name as string, options as PathValidationOptions);
        expect(typeof valid).toBe('boolean');
        expect(valid ? path.isAbsolute(resolved) : error !== undefined && error !== '').toBe(true);
      }),
      lawRuns(500),
    );
  });
});

function systemFinds(name: string): string | undefined {
  try {
    return realpathSync.native(name);
  } catch {
    return undefined;
  }
}

describe('isWithinAllowed', () => {
  it('a folder holds what is below it, and nothing that only begins like it', () => {
    const name = fc.stringMatching(/^[a-z.]{1,6}$/).filter((one) => !/^\.{1,2}$/.test(one));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), name, (folder, child) => {
        const place = `/${folder.join('/')}`;
        expect(isWithinAllowed(`${place}/${child}`, [place])).toBe(true);
        expect(isWithinAllowed(`${place}${child}`, [place])).toBe(false);
        expect(isWithinAllowed(`${place}/../${child}`, [place])).toBe(folder.at(-1) === child);
      }),
      lawRuns(500),
    );
  });
});
