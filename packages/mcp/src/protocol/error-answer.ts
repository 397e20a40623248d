import { isRecord, ownValue } from '@devs/core';

/** Where an answer to a question says that the client has answered with an error of the protocol. */
export const ERROR_ANSWER_KEY = 'devs/error';

export interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
}

/** That error; undefined for any other answer. */
export function errorAnswerIn(response: unknown): ErrorAnswer | undefined {
  const failed = ownValue(response, ERROR_ANSWER_KEY);
  if (!isRecord(failed)) return undefined;
  const { code, message } = failed;
  return { code: Number.isSafeInteger(code) ? Number(code) : -32_603, message: typeof message === 'string' ? message : '' };
}
