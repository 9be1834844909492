-- Let the lease of a URL go on at a host; return when that host may be asked, nothing if it may not at all.
-- `kind`: "own" where the URL is of this partition; "guest" where it is not, and is out; "none" where it is not.
local id, host, kind = ARGV[4], named(ARGV[5]), ARGV[6]
local lease = lease_of(id)
if lease and (lease.worker ~= WORKER or (lease.home == '') ~= (kind == 'guest')) then lease = nil end
touch(host)
local is_there = lease and lease.at == host.name
if is_closed(host) or not (is_there or has_room(host)) then return { finish_step(), '' } end
if lease or kind == 'guest' then
  local home = ''
  if lease then
    finish_lease(id, lease)
    home = lease.home
  end
  lease = lease or { worker = WORKER, home = '', asked_before = 0, ready_before = 0, asked_after = 0, ready_after = 0 }
  lease.at, lease.stop = host.name, NOW + LEASE_SECONDS
  if home ~= '' then count('leased', 1) end
  save_lease(id, lease)
end
local ready_at = host.ready_at
if ready_at <= NOW then ask(host, NOW) end
return { finish_step(), pack('>d', ready_at) }
