-- Counters. One that is no number from 0 on is put aside, and counted anew as far as that tells when a crawl ends:
-- those of what has ended or was dropped, which would cost a scan of all URLs, begin at nothing.
local Count = {}
local LENGTHS = { hosts = { 'HLEN', HOSTS }, waiting = { 'ZCARD', WAITS }, unkept = { 'HLEN', ENDED },
  quarantined = { 'LLEN', QUARANTINE } }

function Count.of_hosts(name)
  local found = 0
  for _, packed in ipairs(call('HVALS', HOSTS)) do
    local host = Host.parsed(packed)
    if host and name == 'waiting_hosts' then
      found = found + host.waiting
    elseif host and not Host.is_closed(host) then
      found = found + host.queued
    end
  end
  return found
end

function Count.leased()
  local found = 0
  for _, packed in ipairs(call('HVALS', LEASES)) do
    local lease = Lease.parsed(packed)
    if not lease or lease.home ~= '' then found = found + 1 end
  end
  return found
end

function Count.anew(name)
  if LENGTHS[name] then return call(unpack(LENGTHS[name])) end
  if name == 'pending' or name == 'waiting_hosts' then return Count.of_hosts(name) end
  return name == 'leased' and Count.leased() or 0
end

-- What is written down of a counter, as a number; nil if it is none.
function Count.stored(name)
  local stored = call('HGET', COUNTS, name) or '0'
  return #stored <= 16 and string.match(stored, '^%d+$') and tonumber(stored) or nil
end

-- A counter as it was before this step.
function Count.of(name)
  return Count.stored(name) or Count.anew(name)
end

-- Keep what is malformed of a counter for inspection, and set it right. All else is written down.
function Count.repair(name)
  local stored = call('HGET', COUNTS, name) or ''
  store_aside('count ' .. name .. ' ' .. stored)
  call('HSET', COUNTS, name, string.format('%.0f', Count.anew(name)))
end

-- Add to a counter when all else is written down; tell whether it was one.
function Count.add(name, more)
  local stored = redis.pcall('HINCRBY', COUNTS, name, more)
  if type(stored) == 'number' then return true end
  Count.repair(name)
  return false
end
