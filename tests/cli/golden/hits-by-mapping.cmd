# columns: HITS SHARE% VALUE | MAPPING MODULE
fixture hits | stack-top -i - -q --by=mapping,module
