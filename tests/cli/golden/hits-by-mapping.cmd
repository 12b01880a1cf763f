fixture hits | stack-top -i - -q --by=mapping,module
