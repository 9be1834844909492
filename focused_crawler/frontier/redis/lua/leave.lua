-- End the stay of a URL of another partition.
local id = ARGV[4]
local lease = Lease.of(id)
if lease and lease.worker == WORKER and lease.home == '' then Lease.finish(id, lease) end
return { finish_step() }
