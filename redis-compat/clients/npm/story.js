// story.js - what both clients for Node do with a lock.
//
// Ann, ben, cid and dan hold one lock in turn, from two connections. A
// connection is {send(key, words)}; the rest is the same for every library.
'use strict';

const readline = require('readline');

let label = 'node';
const lines = readline.createInterface({input: process.stdin});
const coming = lines[Symbol.asyncIterator]();

// The library, or the end of this program if it is not installed.
function load(name) {
    label = name;
    try {
        console.log(name, require(name + '/package.json').version);
        return require(name);
    } catch (error) {
        if (error.code !== 'MODULE_NOT_FOUND') {
            throw error;
        }
        console.log(`the npm package ${name} is not installed`);
        process.exit(77);
    }
}

function fail(what, got) {
    const text = got instanceof Error ? String(got) : JSON.stringify(got);
    console.error(`${label}: ${what}, but got ${text}`);
    process.exit(1);
}

function check(what, isTrue, got) {
    if (!isTrue) {
        fail(what, got);
    }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function change(how) {
    console.log('ready ' + how);
    const line = await coming.next();
    check('the driver says next', line.value === 'next', line.value);
}

// A map, whichever way a library gives it.
function map(reply) {
    if (!Array.isArray(reply)) {
        return reply instanceof Map ? Object.fromEntries(reply) : reply;
    }
    const result = {};
    for (let i = 0; i + 1 < reply.length; i += 2) {
        result[reply[i]] = reply[i + 1];
    }
    return result;
}

class Story {
    constructor(key, one, two) {
        this.key = key;
        this.one = one;
        this.two = two;
    }

    ask(connection, verb, ...words) {
        return connection.send(
            this.key, ['LOCK.' + verb, this.key, ...words.map(String)]);
    }

    async expect(reply, connection, verb, ...words) {
        const got = await this.ask(connection, verb, ...words);
        check(`${verb} ${this.key} ${words} replies ${reply}`, got === reply,
            got);
    }

    async status() {
        const status = map(await this.ask(this.one, 'STATUS'));
        status.owners = status.holders.map((h) => map(h).owner).join(' ');
        return status;
    }

    // Returns when the owner is in the queue; .grant is the promise.
    async wait(owner) {
        const grant = this.ask(this.two, 'ACQUIRE', owner, 60000, 'WAIT', 40000)
            .catch((error) => error);
        for (let i = 0; i < 500; i++) {
            if ((await this.status()).waiters === 1) {
                return {grant};
            }
            await pause(10);
        }
        return fail(`${owner} waits`, await Promise.race([grant, pause(100)]));
    }

    async granted(waiter, older) {
        const token = await waiter.grant;
        check(`a younger token than ${older}`,
            Number.isInteger(token) && token > older, token);
        return token;
    }

    async begin() {
        const ann = await this.ask(this.one, 'ACQUIRE', 'ann', 30000);
        check('ann gets a token', Number.isInteger(ann), ann);
        await this.expect(null, this.two, 'ACQUIRE', 'ben', 30000, 'WAIT', 0);
        const waiter = await this.wait('ben');
        const status = await this.status();
        check('ann holds it alone',
            status.owners === 'ann' && status.mode === 'exclusive', status);
        await this.expect(60000, this.one, 'RENEW', 'ann', ann, 60000);
        await this.expect(1, this.one, 'RELEASE', 'ann', ann);
        this.ben = await this.granted(waiter, ann);
        await this.expect(0, this.one, 'RELEASE', 'ann', ann);
        await this.expect(null, this.one, 'RENEW', 'ann', ann, 1000);
        check('ben holds it', (await this.status()).owners === 'ben');
        this.waiter = await this.wait('cid');
    }

    async moved(waits) {
        await this.expect(60000, this.one, 'RENEW', 'ben', this.ben, 60000);
        await this.expect(1, this.one, 'RELEASE', 'ben', this.ben);
        this.cid = await this.granted(this.waiter, this.ben);
        this.waiter = waits ? await this.wait('dan') : null;
    }

    async killed() {
        await this.expect(60000, this.one, 'RENEW', 'cid', this.cid, 60000);
        await this.expect(1, this.one, 'RELEASE', 'cid', this.cid);
        if (this.waiter) {
            const dan = await this.granted(this.waiter, this.cid);
            await this.expect(1, this.one, 'RELEASE', 'dan', dan);
        }
        check('it is free', (await this.status()).mode === 'free');
    }

    // Right after a crash: until there is a new leader, and it is found.
    async renewPatiently(tolerated) {
        const begin = Date.now();
        for (;;) {
            try {
                await this.ask(this.one, 'RENEW', 'cid', this.cid, 60000);
                break;
            } catch (error) {
                check('a renewal at last', String(error).includes(tolerated) &&
                    Date.now() < begin + 30000, error);
                await pause(100);
            }
        }
        console.log(`${this.key} renewed after ${Date.now() - begin} ms`);
    }
}

async function tell(stories) {
    for (const story of stories) {
        await story.begin();
    }
    await change('move');
    for (const story of stories) {
        await story.moved(story.key.endsWith('plain'));
    }
    await change('kill');
    for (const story of stories) {
        await story.renewPatiently(
            story.key.endsWith('plain') ? 'CLUSTERDOWN' : '');
        await story.killed();
    }
}

function run(main) {
    main(process.argv.slice(2, 8)).then(
        () => process.exit(0), (error) => fail('no error', error));
}

module.exports = {load, check, Story, tell, run};
