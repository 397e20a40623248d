import type { Confinement, Enforcement } from '@devs/core';
import { unavailable } from './unavailable.ts';

/** What will hold a call. @throws DevsError SANDBOX_UNAVAILABLE: nothing would */
export async function requireUsable(confinement: Confinement): Promise<Enforcement> {
  const report = await confinement.probe();
  if (!report.usable) throw unavailable(report);
  return report.enforcement;
}
