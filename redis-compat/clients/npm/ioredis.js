// ioredis.js - locks through ioredis 5, plain and cluster.
//
// Run by ../../run-clients, which says what the arguments and the lines on
// standard input and output mean.
'use strict';

const {load, check, Story, tell, run} = require('./story.js');
const Redis = load('ioredis');

function pair(address) {
    const [host, port] = address.split(':');
    return {host, port: Number(port)};
}

function plain(address) {
    const client = new Redis(pair(address));
    client.on('error', (error) => console.log('plain:', String(error)));
    return {send: (key, words) => client.call(...words), client};
}

function cluster(addresses) {
    const client = new Redis.Cluster(addresses.map(pair));
    client.on('error', (error) => console.log('cluster:', String(error)));
    return {send: (key, words) => client.call(...words), client};
}

run(async (addresses) => {
    const one = plain(addresses[0]);
    check('a follower answers', await one.client.ping() === 'PONG');
    await tell([
        new Story('ioredis:plain', one, plain(addresses[0])),
        new Story('ioredis:cluster', cluster(addresses.slice(3)),
            cluster(addresses.slice(3))),
    ]);
});
