<?php
/* php_redis.php - locks through phpredis: Redis and RedisCluster.
 *
 * Run by ../run-clients, which says what the arguments and the lines on standard
 * input and output mean. PHP has no threads: who waits for a lock is a child
 * with a connection of its own, which writes the token into a pipe.
 */

if (!extension_loaded('redis')) {
    echo "php-redis is not installed\n";
    exit(77);
}
if (!function_exists('pcntl_fork')) {
    echo "this PHP cannot fork\n";
    exit(77);
}

function fail($what, $got)
{
    fwrite(STDERR, "php-redis: $what, but got " . var_export($got, true) . "\n");
    exit(1);
}

function check($what, $is_true, $got = null)
{
    if (!$is_true) {
        fail($what, $got);
    }
}

function change($how)
{
    echo "ready $how\n";
    $line = fgets(STDIN);
    check('the driver says next', $line === "next\n", $line);
}

function flat($words)
{
    $map = [];
    for ($i = 0; $i + 1 < count($words); $i += 2) {
        $map[$words[$i]] = $words[$i + 1];
    }
    return $map;
}

/* Ann, ben, cid and dan hold one lock in turn. */
class Story
{
    private $key;
    private $open;
    public $one;
    private $ben;
    public $cid;
    private $waiter;

    public function __construct($key, $open)
    {
        $this->key = $key;
        $this->open = $open;
        $this->one = $open();
    }

    /* Null comes as false from Redis, and as null from RedisCluster. */
    public static function raw($connection, $key, $verb, ...$words)
    {
        $connection->clearLastError();
        $reply = $connection instanceof RedisCluster
            ? $connection->rawCommand($key, "LOCK.$verb", $key, ...$words)
            : $connection->rawCommand("LOCK.$verb", $key, ...$words);
        if ($connection->getLastError() !== null) {
            throw new RedisException($connection->getLastError());
        }
        return $reply === null ? false : $reply;
    }

    public function ask($verb, ...$words)
    {
        return self::raw($this->one, $this->key, $verb, ...$words);
    }

    private function expect($reply, $verb, ...$words)
    {
        $got = $this->ask($verb, ...$words);
        check("$verb {$this->key} " . implode(' ', $words) . ' replies '
            . var_export($reply, true), $got === $reply, $got);
    }

    private function status()
    {
        $status = flat($this->ask('STATUS'));
        $status['owners'] = array_map(function ($holder) {
            return flat($holder)['owner'];
        }, $status['holders']);
        return $status;
    }

    /* Returns when the owner is in the queue. */
    private function wait($owner)
    {
        $pipe = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $child = pcntl_fork();
        if ($child === 0) {
            try {
                $connection = ($this->open)();
                $token = self::raw($connection, $this->key, 'ACQUIRE', $owner,
                    60000, 'WAIT', 40000);
            } catch (Exception $e) {
                $token = $e->getMessage();
            }
            fwrite($pipe[1], var_export($token, true));
            posix_kill(posix_getpid(), SIGKILL); /* leaves the parent's be */
        }
        fclose($pipe[1]);
        for ($i = 0; $i < 500; $i++) {
            if ($this->status()['waiters'] === 1) {
                return $pipe[0];
            }
            usleep(10000);
        }
        fail("$owner waits", $this->status());
    }

    private function granted($waiter, $older)
    {
        $token = stream_get_contents($waiter);
        check("a younger token than $older",
            ctype_digit($token) && (int)$token > $older, $token);
        return (int)$token;
    }

    public function begin()
    {
        $ann = $this->ask('ACQUIRE', 'ann', 30000);
        check('ann gets a token', is_int($ann), $ann);
        $this->expect(false, 'ACQUIRE', 'ben', 30000, 'WAIT', 0);
        $waiter = $this->wait('ben');
        check('ann holds it alone', $this->status()['owners'] === ['ann']);
        $this->expect(60000, 'RENEW', 'ann', $ann, 60000);
        $this->expect(1, 'RELEASE', 'ann', $ann);
        $this->ben = $this->granted($waiter, $ann);
        $this->expect(0, 'RELEASE', 'ann', $ann);
        $this->expect(false, 'RENEW', 'ann', $ann, 1000);
        check('ben holds it', $this->status()['owners'] === ['ben']);
        $this->waiter = $this->wait('cid');
    }

    public function moved($waits)
    {
        $this->expect(60000, 'RENEW', 'ben', $this->ben, 60000);
        $this->expect(1, 'RELEASE', 'ben', $this->ben);
        $this->cid = $this->granted($this->waiter, $this->ben);
        $this->waiter = $waits ? $this->wait('dan') : null;
    }

    public function killed()
    {
        $this->expect(60000, 'RENEW', 'cid', $this->cid, 60000);
        $this->expect(1, 'RELEASE', 'cid', $this->cid);
        if ($this->waiter !== null) {
            $dan = $this->granted($this->waiter, $this->cid);
            $this->expect(1, 'RELEASE', 'dan', $dan);
        }
        check('it is free', $this->status()['mode'] === 'free');
    }

    /* Until there is a new leader, and it is found. A RedisCluster sends raw
     * commands where it sent them before, whatever the answer: MOVED, or none.
     * So a new one is made after each change of leader. */
    public function find_leader($tolerated, $reopens)
    {
        $begin = microtime(true);
        while (true) {
            try {
                if ($reopens) {
                    $this->one = ($this->open)();
                }
                $this->ask('STATUS');
                break;
            } catch (Exception $e) {
                check('a leader at last',
                    strpos($e->getMessage(), $tolerated) !== false
                    && microtime(true) < $begin + 20, $e->getMessage());
                usleep(100000);
            }
        }
        printf("%s went on after %.2f s\n", $this->key,
            microtime(true) - $begin);
    }
}

$addresses = array_slice($argv, 1, 6);
echo 'phpredis ' . phpversion('redis') . "\n";
pcntl_signal(SIGCHLD, SIG_IGN);

$plain = function () use ($addresses) {
    [$host, $port] = explode(':', $addresses[0]);
    $redis = new Redis();
    $redis->connect($host, (int)$port);
    return $redis;
};
$cluster = function () use ($addresses) {
    return new RedisCluster(null, array_slice($addresses, 3), 5, 60);
};

$first = new Story('php:plain', $plain);
check('a follower passes for a primary',
    $first->one->info()['role'] === 'master');
$second = new Story('php:cluster', $cluster);
$first->begin();
$second->begin();

change('move');
$first->moved(true);
$second->find_leader('', true);
$second->moved(false);

change('kill');
$first->find_leader('CLUSTERDOWN', false);
$first->killed();
$second->find_leader('', true);
$second->killed();
