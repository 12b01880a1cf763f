stack-top --help
