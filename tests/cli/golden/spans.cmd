# shows: Time
fixture spans | stack-top -i -
