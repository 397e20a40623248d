/*
 * Runs in a box, before the command: listens where the command's programs look for a proxy, hands each of their connections
 * to devs over the one descriptor that leads out, and then starts the command. It is as much in the hands of the command as
 * anything else in the box: who is reached is decided by devs.
 */
const { spawn } = process.getBuiltinModule('node:child_process');
const http2 = process.getBuiltinModule('node:http2');
const net = process.getBuiltinModule('node:net');
const os = process.getBuiltinModule('node:os');

/** `CHANNEL_FD` of core. */
const CHANNEL = 3;
/** `RELAY_PORT` of networked-confinement.ts. */
const PORT = 3_128;
/** As a shell says that a program cannot be run. */
const NOT_FOUND = 127;
const SIGNAL_BASE = 128;

const [program = '', ...words] = process.argv.slice(2);
// The stream is HTTP/2, of which only streams are used: each is one connection, byte by byte.
const outside = http2.connect('http://devs', { createConnection: () => new net.Socket({ fd: CHANNEL }) });
// Without devs there is no network; the command goes on without.
outside.on('error', () => undefined);
outside.unref();

const server = net.createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined);
  if (outside.destroyed) {
    socket.destroy();
    return;
  }
  const stream = outside.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
  stream.on('error', () => socket.destroy());
  stream.on('close', () => socket.end());
  socket.pipe(stream).pipe(socket);
});
server.listen(PORT, '127.0.0.1', () => {
  server.unref();
  const child = spawn(program, words, { stdio: ['inherit', 'inherit', 'inherit'] });
  child.on('error', ({ message }) => {
    process.stderr.write(`${message}\n`);
    process.exit(NOT_FOUND);
  });
  child.on('exit', (code, signal) => process.exit(code ?? SIGNAL_BASE + (signal === null ? 0 : os.constants.signals[signal])));
});
