#!/usr/bin/perl
# perl_redis.pl - locks through the Redis module of CPAN.
#
# Run by ../run-clients, which says what the arguments and the lines on standard
# input and output mean. The module has no cluster mode: against the cluster
# port it only sees MOVED.
#
# Ann, ben, cid and dan hold one lock in turn, from two connections. A request
# with a callback is sent and its reply read later, so one process can wait
# and go on.
use strict;
use warnings;

BEGIN {
    if (!eval { require Redis; 1 }) {
        print "libredis-perl is not installed\n";
        exit 77;
    }
}
$| = 1;

my $key = 'perl:plain';
my @addresses = @ARGV;
print "Redis.pm $Redis::VERSION\n";

sub fail {
    my ($what, $got) = @_;
    die "perl-redis: $what, but got " . ($got // 'null') . "\n";
}

# A verb is not a method's name in Perl, but this is how it becomes one.
sub ask {
    my ($connection, $verb, @words) = @_;
    my $method = "lock.$verb";
    return $connection->$method($key, @words);
}

sub expect {
    my ($reply, $connection, @words) = @_;
    my $got = ask($connection, @words);
    fail("@words replies " . ($reply // 'null'), $got)
        unless defined $got ? defined $reply && $got eq $reply : !defined $reply;
}

sub status {
    my %status = @{ ask($_[0], 'status') };
    $status{owners} = join ' ', map { my %h = @$_; $h{owner} }
        @{ $status{holders} };
    return \%status;
}

# Returns when the owner is in the queue.
sub wait_for {
    my ($waiter, $other, $owner) = @_;
    my $grant = {};
    ask($waiter, 'acquire', $owner, 60000, 'WAIT', 40000,
        sub { @$grant{qw(token error)} = @_ });
    for (1 .. 500) {
        return $grant if status($other)->{waiters} == 1;
        select undef, undef, undef, 0.01;
    }
    fail("$owner waits", $grant->{error});
}

sub granted {
    my ($waiter, $grant, $older) = @_;
    $waiter->wait_one_response;
    fail("a younger token than $older", $grant->{error} // $grant->{token})
        unless defined $grant->{token} && $grant->{token} > $older;
    return $grant->{token};
}

sub change {
    my ($how) = @_;
    print "ready $how\n";
    my $line = <STDIN>;
    fail('the driver says next', $line) unless ($line // '') eq "next\n";
}

my ($one, $two) = map { Redis->new(server => $addresses[0]) } 1, 2;
fail('a follower passes for a primary', $one->info->{role})
    unless $one->info->{role} eq 'master';

my $ann = ask($one, 'acquire', 'ann', 30000);
fail('ann gets a token', $ann) unless $ann =~ /^\d+$/;
expect(undef, $two, 'acquire', 'ben', 30000, 'WAIT', 0);
my $grant = wait_for($two, $one, 'ben');
fail('ann holds it alone', status($one)->{owners})
    unless status($one)->{owners} eq 'ann';
expect(60000, $one, 'renew', 'ann', $ann, 60000);
expect(1, $one, 'release', 'ann', $ann);
my $ben = granted($two, $grant, $ann);
expect(0, $one, 'release', 'ann', $ann);
expect(undef, $one, 'renew', 'ann', $ann, 1000);
fail('ben holds it', status($one)->{owners})
    unless status($one)->{owners} eq 'ben';
$grant = wait_for($two, $one, 'cid');

my $far = Redis->new(server => $addresses[3]);
my $role = $far->info->{role};
if (!eval { ask($far, 'status'); 1 }) {
    fail('MOVED', $@) unless $@ =~ /MOVED \d+ \S+:\d+/;
} elsif ($role eq 'slave') {
    fail('MOVED from a follower', 'a status');
}

change('move');
expect(60000, $one, 'renew', 'ben', $ben, 60000);
expect(1, $one, 'release', 'ben', $ben);
my $cid = granted($two, $grant, $ben);
$grant = wait_for($two, $one, 'dan');

change('kill');
my $deadline = time + 20;
while (!eval { expect(60000, $one, 'renew', 'cid', $cid, 60000); 1 }) {
    fail('a renewal at last', $@) unless $@ =~ /CLUSTERDOWN/ && time < $deadline;
    print "waiting: $@\n";
}
expect(1, $one, 'release', 'cid', $cid);
my $dan = granted($two, $grant, $cid);
expect(1, $one, 'release', 'dan', $dan);
fail('it is free', status($one)->{mode}) unless status($one)->{mode} eq 'free';
