/** Runs tests of boxes: on Linux, where they fail when there is no bubblewrap. Nothing confines processes elsewhere. */
export function onLinux(define: () => void): void {
  if (process.platform === 'linux') {
    define();
    return;
  }
  test(`there are no boxes on ${process.platform}`, () => {
    expect(process.platform).not.toBe('linux');
  });
}
