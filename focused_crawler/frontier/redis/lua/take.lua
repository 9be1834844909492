-- So many leases at most, none that is not better than `limit`: the best that another partition has.
local number, limit = tonumber(ARGV[4]), ARGV[5]
local MOST = 500 -- hosts and leases that are checked in one call

local function lease(host, order)
  local entry = sub(order, 1, 9) .. sub(order, 14, 21)
  local id = sub(entry, 10)
  local record = Url.find(id)
  Host.withdraw(host, entry)
  local is_pending = record and Url.state_of(record) == 'P' and Url.entry_of(id, record) == entry
  if not is_pending or Url.host_name(record) ~= host.name then
    put_aside('entry', host.name .. ' ' .. entry)
    Host.reposition(host)
    return nil
  end
  local asked_before, ready_before = host.asked_at, host.ready_at
  host.load = host.load + 1
  Host.ask(host, NOW)
  Lease.save(id, { worker = WORKER, stop = NOW + LEASE_SECONDS, home = host.name, at = host.name,
    asked_before = asked_before, ready_before = ready_before, asked_after = host.asked_at,
    ready_after = host.ready_at })
  Url.save(id, 'L' .. sub(record, 2))
  count('leased', 1)
  Host.reposition(host)
  return record
end

local _, are_more_due = Lease.expire(MOST)
Host.settle()
local are_more_awake = Host.wake(MOST)
if are_more_due or are_more_awake then return { finish_step(), 1, '', {} } end
local leases = {}
local host, order = Host.first_ready()
while host and #leases < 3 * number and (limit == '' or Host.is_before(order, limit)) do
  local record = lease(host, order)
  if record then
    leases[#leases + 1] = record
    leases[#leases + 1] = Url.parent_text(record)
    leases[#leases + 1] = sub(order, 14, 21)
  end
  host, order = Host.first_ready()
end
if #leases > 0 then call('HSET', COUNTS, 'asked', ARGV[2]) end
return { finish_step(), 0, order or '', leases }
