# ruby_redis.rb - locks through redis-rb, plain and cluster.
#
# Run by ../run-clients, which says what the arguments and the lines on standard
# input and output mean. Written for redis-rb 4.8, the one of Debian 12.

begin
  require 'redis'
rescue LoadError
  puts 'ruby-redis is not installed'
  exit 77
end
$stdout.sync = true

def check(what, is_true, got = nil)
  abort "ruby-redis: #{what}, but got #{got.inspect}" unless is_true
end

def change(how)
  puts "ready #{how}"
  check('the driver says next', $stdin.gets == "next\n")
end

# Ann, ben, cid and dan hold one lock in turn, from two connections.
class Story
  attr_writer :one

  def initialize(key, one, two)
    @key = key
    @one = one
    @two = two
  end

  def ask(connection, verb, *words)
    connection.call(["LOCK.#{verb}", @key, *words])
  end

  def expect(reply, connection, verb, *words)
    got = ask(connection, verb, *words)
    check("#{verb} #{@key} #{words} replies #{reply.inspect}", got == reply, got)
  end

  def status
    status = Hash[*ask(@one, 'STATUS')]
    status['owners'] = status['holders'].map { |holder| Hash[*holder]['owner'] }
    status
  end

  # Returns when the owner is in the queue.
  def wait(owner)
    waiter = Thread.new { ask(@two, 'ACQUIRE', owner, 60_000, 'WAIT', 40_000) }
    waiter.report_on_exception = false
    500.times do
      return waiter if status['waiters'] == 1
      sleep 0.01
    end
    check("#{owner} waits", false, waiter)
  end

  def granted(waiter, older)
    token = waiter.join(30) && waiter.value
    check("a younger token than #{older}",
          token.is_a?(Integer) && token > older, token)
    token
  end

  def begin
    ann = ask(@one, 'ACQUIRE', 'ann', 30_000)
    check('ann gets a token', ann.is_a?(Integer), ann)
    expect(nil, @two, 'ACQUIRE', 'ben', 30_000, 'WAIT', 0)
    waiter = wait('ben')
    check('ann holds it alone', status['owners'] == ['ann'], status)
    expect(60_000, @one, 'RENEW', 'ann', ann, 60_000)
    expect(1, @one, 'RELEASE', 'ann', ann)
    @ben = granted(waiter, ann)
    expect(0, @one, 'RELEASE', 'ann', ann)
    expect(nil, @one, 'RENEW', 'ann', ann, 1000)
    check('ben holds it', status['owners'] == ['ben'], status)
    @waiter = wait('cid')
  end

  def moved(waits)
    expect(60_000, @one, 'RENEW', 'ben', @ben, 60_000)
    expect(1, @one, 'RELEASE', 'ben', @ben)
    @cid = granted(@waiter, @ben)
    @waiter = waits ? wait('dan') : nil
  end

  def killed
    expect(60_000, @one, 'RENEW', 'cid', @cid, 60_000)
    expect(1, @one, 'RELEASE', 'cid', @cid)
    expect(1, @one, 'RELEASE', 'dan', granted(@waiter, @cid)) if @waiter
    check('it is free', status['mode'] == 'free', status)
  end

  # Right after a crash: until there is a new leader, and it is found.
  def renew_patiently(tolerated)
    begin_time = Time.now
    begin
      ask(@one, 'RENEW', 'cid', @cid, 60_000)
    rescue Redis::BaseError => e
      check('a renewal at last', e.message =~ tolerated &&
            Time.now < begin_time + 20, e)
      sleep 0.1
      retry
    end
    puts "#{@key} renewed after #{(Time.now - begin_time).round(2)} s"
  end
end

addresses = ARGV[0, 6]
puts "redis-rb #{Redis::VERSION}"
plain = lambda do
  Redis.new(url: "redis://#{addresses[0]}", read_timeout: 60,
            reconnect_attempts: 0)
end
cluster = lambda do
  Redis.new(cluster: addresses[3, 3].map { |a| "redis://#{a}" },
            read_timeout: 60)
end

one = plain.call
check('a follower passes for a primary', one.info['role'] == 'master')
first = Story.new('ruby:plain', one, plain.call)
second = Story.new('ruby:cluster', cluster.call, cluster.call)
[first, second].each(&:begin)

change('move')
first.moved(true)
second.moved(false)

change('kill')
first.renew_patiently(/CLUSTERDOWN/)
first.killed
second.renew_patiently(//)
second.killed
