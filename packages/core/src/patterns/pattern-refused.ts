/** Why a pattern is not run. `reason` is a plain sentence part written by devs: "it refers back to a group". */
export class PatternRefused extends Error {
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`The pattern cannot be used: ${reason}.`, { cause });
    this.name = 'PatternRefused';
    this.reason = reason;
  }
}
