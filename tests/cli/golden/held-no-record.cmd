# A file of another format, none, and a folder without records.
kmalloc-top --import=allocinfo held/6.12/alloc_traces/after/filp/alloc_traces
kmalloc-top --import=page_owner nowhere
kmalloc-top --import=alloc_traces import
kmalloc-top --import=page_owner held
