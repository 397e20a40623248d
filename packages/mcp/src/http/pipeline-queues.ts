import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What of one connection is not answered yet. */
interface Queue {
  readonly ends: Set<() => void>;
  last: Promise<void>;
}

/**
 * The order of pipelined requests on one connection. Requests that are sent behind one another without waiting for answers are served
 * one after the other: else one connection could have any number of answers made that its client cannot take yet.
 */
export class PipelineQueues {
  readonly #queues = new WeakMap<Socket, Queue>();

  /** Resolves when what was asked before on the connection is answered, or it is gone; undefined where nothing waits. */
  take(socket: Socket, response: ServerResponse): Promise<void> | undefined {
    const queue = this.#queueOf(socket);
    const before = queue.ends.size === 0 ? undefined : queue.last;
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.last = promise;
    const end = () => {
      queue.ends.delete(end);
      resolve();
    };
    queue.ends.add(end);
    response.once('close', end);
    return before;
  }

  #queueOf(socket: Socket): Queue {
    const known = this.#queues.get(socket);
    if (known !== undefined) return known;
    const queue: Queue = { ends: new Set(), last: Promise.resolve() };
    this.#queues.set(socket, queue);
    // In older versions of Node an answer that waits for its turn, and never had the socket, does not close with it.
    socket.once('close', () => {
      for (const end of queue.ends) end();
    });
    return queue;
  }
}
