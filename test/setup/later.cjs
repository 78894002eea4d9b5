/** Preloaded: the processes of a command believe that it is as much later as ORGSEAT_TEST_LATER_MS says. */
const later = Number(process.env.ORGSEAT_TEST_LATER_MS);
const { now } = Date;
Date.now = () => now() + later;
