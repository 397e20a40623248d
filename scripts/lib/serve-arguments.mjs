const defaultAddress = '127.0.0.1:7337';

function names(asked, flag) {
  return asked.some((argument) => argument === flag || argument.startsWith(`${flag}=`));
}

/** What `npm start -- …` hands to the devs command. A flag that is given replaces its default. */
export function serveArguments(asked, calledFrom) {
  const own = asked[0] === '--' ? asked.slice(1) : asked;
  const address = names(own, '--http') ? [] : ['--http', defaultAddress];
  const root = names(own, '--root') ? [] : ['--root', calledFrom];
  return ['serve', ...address, ...root, ...own];
}
