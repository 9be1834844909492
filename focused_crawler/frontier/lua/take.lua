-- So many leases at most, none that is not better than `limit`: the best that another partition has.
local number, limit = tonumber(ARGV[4]), ARGV[5]
local MOST = 500 -- hosts and leases that are looked at before the others have their turn

local function lease(host, order)
  local entry = sub(order, 1, 9) .. sub(order, 14, 21)
  local id = sub(entry, 10)
  local record = find(id)
  withdraw(host, entry)
  if not record or state_of(record) ~= 'P' or entry_of(id, record) ~= entry or host_name(record) ~= host.name then
    put_aside('entry', host.name .. ' ' .. entry)
    place(host)
    return nil
  end
  local asked_before, ready_before = host.asked_at, host.ready_at
  host.load = host.load + 1
  ask(host, NOW)
  save_lease(id, { worker = WORKER, stop = NOW + LEASE_SECONDS, home = host.name, at = host.name,
    asked_before = asked_before, ready_before = ready_before, asked_after = host.asked_at,
    ready_after = host.ready_at })
  save_url(id, 'L' .. sub(record, 2))
  count('leased', 1)
  place(host)
  return record
end

local _, are_more_due = expire(MOST)
settle()
local are_more_awake = wake(MOST)
if are_more_due or are_more_awake then return { finish_step(), 1, '', {} } end
local leases = {}
local host, order = first_ready()
while host and #leases < 2 * number and (limit == '' or is_before(order, limit)) do
  local record = lease(host, order)
  if record then
    leases[#leases + 1] = record
    leases[#leases + 1] = parent_text(record)
  end
  host, order = first_ready()
end
if #leases > 0 then call('HSET', COUNTS, 'asked', ARGV[2]) end
return { finish_step(), 0, order or '', leases }
