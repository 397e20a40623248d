import { connect } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';

/** Joins a connection out of a box and a port of this machine that the operator has named. Never throws. */
export function joinLoopback(client: Duplex, port: number): void {
  // A database goes on after its client has said its last.
  const onward = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  const cut = (error: unknown): void => {
    if (error === null || error === undefined) return;
    client.destroy();
    onward.destroy();
  };
  // Whoever is gone may have said his last before: then neither side ends by itself.
  client.once('close', () => onward.destroy());
  pipeline(client, onward, cut);
  pipeline(onward, client, cut);
}
