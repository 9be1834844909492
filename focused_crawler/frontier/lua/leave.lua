-- End the stay of a URL of another partition.
local id = ARGV[4]
local lease = Lease.lease_of(id)
if lease and lease.worker == WORKER and lease.home == '' then Lease.finish_lease(id, lease) end
return { Host.finish_step() }
