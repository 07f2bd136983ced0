// Imported into agent-memory-store before its own modules: nothing is fetched from the network, so that its embedding model is not there on any machine, and it says at once that it goes by
// words alone.
globalThis.fetch = () => Promise.reject(new Error('no network in this comparison'))
