-- Let the lease of a URL go on at a host; return when that host may be asked, nothing if it may not at all.
-- `kind`: "own" where the URL is of this partition; "guest" where it is not and is out; else "none".
-- While another worker may be asking that host the lease waits.
local RECHECK = 0.1 -- seconds at least
local id, host, kind = ARGV[4], Host.named(ARGV[5]), ARGV[6]
local lease = Lease.of(id)
if lease and (lease.worker ~= WORKER or (lease.home == '') ~= (kind == 'guest')) then lease = nil end
Host.touch(host)
local is_there = lease and lease.at == host.name
if Host.is_closed(host) or not (is_there or Host.has_room(host)) then return { finish_step(), '' } end
local ready_at = host.ready_at
if Lease.is_busy_elsewhere(host) then ready_at = max(ready_at, NOW + max(Host.gap(host), RECHECK)) end
if lease or kind == 'guest' then
  local home = ''
  if lease then
    Lease.finish(id, lease)
    home = lease.home
  end
  lease = lease or { worker = WORKER, home = '', asked_before = 0, ready_before = 0, asked_after = 0,
    ready_after = 0 }
  lease.at, lease.stop, lease.waits = host.name, NOW + LEASE_SECONDS, ready_at > NOW and 1 or 0
  if home ~= '' then count('leased', 1) end
  Lease.save(id, lease)
end
if ready_at <= NOW then Host.ask(host, NOW) end
return { finish_step(), pack('>d', ready_at) }
