# shows: Not observed; User stacks
fixture hits | stack-top -i -
