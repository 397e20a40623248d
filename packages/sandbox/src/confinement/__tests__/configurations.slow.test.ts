import { expect, test } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { mayReach } from '../account-reach.ts';
import { CONFIGURATIONS, ORDINARY } from './box-scene.ts';
import { mayMount, runAsOrdinaryUser } from './nested-jest.ts';

/** Tests that hold in every configuration. */
const SUITES = 'confinement/__tests__/(escape|bubblewrap)|repository/__tests__/planted|code/__tests__|servers/__tests__';

const isRoot = process.getuid?.() === 0;
/** Set by `.ci/run`: there all three must be had. */
const isRequired = process.env['DEVS_REQUIRE_SANDBOX'] === '1';

withBoxes('as whom devs and boxes run', () => {
  if (isRoot && CONFIGURATIONS.length === 1) {
    test('boxes of another account are not tried: it may not read the Node that these tests run on', () => {
      expect({ isRequired, mayReach: mayReach(process.execPath, ORDINARY) }).toEqual({ isRequired: false, mayReach: false });
    });
  }

  if (isRoot && (isRequired || mayMount())) {
    test('devs of an ordinary user: all of the escape tests, and those of code', async () => {
      const { code, said } = await runAsOrdinaryUser(SUITES);
      expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/Tests: +\d{3,} passed, \d{3,} total/) });
      expect(said).toContain('boxes of user');
    });
  } else if (isRoot) {
    test('devs of an ordinary user is not tried: this root may not mount, and cannot show its code to one', () => {
      expect(mayMount()).toBe(false);
    });
  } else {
    test('devs of root is not tried, neither alone nor with an account for its boxes: this is an ordinary user', () => {
      expect({ isRoot, isRequired }).toEqual({ isRoot: false, isRequired: false });
    });
  }
});
