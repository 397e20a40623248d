/** The public names of every entry point, as literals. Change it by `pnpm check --write`, and say why. */
export const publicSurface = {
};
