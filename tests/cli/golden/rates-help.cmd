slabratetop --help
