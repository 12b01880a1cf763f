#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes the stream that SystemTap's Perl example kmalloc-top reads:
# make_perl_stream.pl RECORDS STACKS FRAMES > FILE
use strict;
use warnings;
no warnings "portable"; # addresses have 64 bits

my ($records, $stacks, $frames) = @ARGV;
die "usage: make_perl_stream.pl RECORDS STACKS FRAMES\n" unless $frames;

srand(1);
my @names = map { sprintf('%s_%s_%04x', qw(tcp ext4 vfs sock page_cache)[$_ % 5],
			  qw(sendmsg lookup allocate insert_range)[$_ % 4], $_) } 0 .. 4095;
my @texts;
for my $stack (0 .. $stacks - 1) {
	my $text = " 0xffffffff812a4d3b : __kmalloc+0x0/0x9f [kernel]\n";
	for (2 .. $frames) {
		my $name = int(rand(@names));
		$text .= sprintf(" 0x%x : %s+0x%x/0x%x [kernel]\n", 0xffffffff81000000 + $name * 4096 + $stack % 512,
				 $names[$name], $stack % 512, 512 + $name);
	}
	push @texts, $text;
}
for (1 .. $records) {
	my $stack = int(rand(@texts));
	my $count = 1 + int(rand(100));
	print "<hashkey>\n$texts[$stack]</hashkey>\n<hashval>$count</hashval>\n";
}
