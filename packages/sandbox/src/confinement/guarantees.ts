import type { Enforcement, Guarantee, GuaranteeReport } from '@devs/core';

/** All of them, in the order in which they are told. */
export const GUARANTEES: readonly Guarantee[] = Object.freeze(['files', 'network', 'processes', 'memory', 'privilege']);

/** Without these nothing runs. `memory` is not among them: each process by itself is limited everywhere. */
const REQUIRED: readonly Guarantee[] = GUARANTEES.filter((guarantee) => guarantee !== 'memory');

export function isUsable(reports: readonly GuaranteeReport[]): boolean {
  return REQUIRED.every((guarantee) => reports.some((report) => report.guarantee === guarantee && report.state === 'enforced'));
}

export function toEnforcement(by: string, reports: readonly GuaranteeReport[]): Enforcement {
  const guarantees = GUARANTEES.filter((guarantee) => reports.some((report) => report.guarantee === guarantee && report.state === 'enforced'));
  return Object.freeze({ by, guarantees: Object.freeze(guarantees) });
}

/** The same report for each of them. */
export function allReports(report: Omit<GuaranteeReport, 'guarantee'>): readonly GuaranteeReport[] {
  return GUARANTEES.map((guarantee) => ({ guarantee, ...report }));
}
