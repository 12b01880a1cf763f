#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A reader in the manner of FlameGraph's stackcollapse scripts, to compare with: frame lines, then
# a line with the count; prints "outermost;...;innermost COUNT".
use strict;
use warnings;

my (%counts, @frames);
while (my $line = <>) {
	if ($line =~ /^\s*(\d+)\s*$/) {
		$counts{join(';', reverse @frames)} += $1;
		@frames = ();
	} elsif ($line =~ /\S/) {
		$line =~ s/^.* : //;
		$line =~ s/\+.*$//s;
		push @frames, $line;
	}
}
print "$_ $counts{$_}\n" for sort keys %counts;
