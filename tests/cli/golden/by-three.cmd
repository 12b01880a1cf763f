kmalloc-top -i ../../examples/mixed.kmr --by=process,context,module -t 3 -q | sed "/^$/,\$d"
