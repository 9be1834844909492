-- Let the lease of a URL begin anew, at a host of another partition.
local id = ARGV[4]
local lease = Lease.of(id)
if lease and lease.worker == WORKER and lease.home ~= '' then
  Lease.finish(id, lease)
  lease.at, lease.stop, lease.waits = '', NOW + LEASE_SECONDS, 0
  count('leased', 1)
  Lease.save(id, lease)
end
return { finish_step() }
