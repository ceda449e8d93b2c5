// node_redis.js - locks through node-redis 6, plain (RESP3) and cluster.
//
// Run by ../../run-clients, which says what the arguments and the lines on
// standard input and output mean.
'use strict';

const {load, check, Story, tell, run} = require('./story.js');
const {createClient, createCluster} = load('redis');

async function plain(address, protocol) {
    const client = createClient(
        {url: `redis://${address}`, RESP: protocol});
    client.on('error', (error) => console.log('plain:', String(error)));
    await client.connect();
    return {send: (key, words) => client.sendCommand(words), client};
}

async function cluster(addresses) {
    const client = createCluster(
        {rootNodes: addresses.map((a) => ({url: `redis://${a}`}))});
    client.on('error', (error) => console.log('cluster:', String(error)));
    await client.connect();
    return {send: (key, words) => client.sendCommand(key, false, words), client};
}

run(async (addresses) => {
    const one = await plain(addresses[0], 3);
    check('a follower answers', await one.client.ping() === 'PONG');
    await tell([
        new Story('node-redis:plain', one, await plain(addresses[0], 3)),
        new Story('node-redis:resp2:plain', await plain(addresses[0], 2),
            await plain(addresses[0], 2)),
        new Story('node-redis:cluster', await cluster(addresses.slice(3)),
            await cluster(addresses.slice(3))),
    ]);
});
